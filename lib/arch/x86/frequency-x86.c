/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "arch/x86/frequency-x86.h"
#include "hot.h"

#include <string.h>

#define LEAF_TSC UINT32_C(0x15)
#define LEAF_BASE UINT32_C(0x16)
#define LEAF_HYPERVISOR_TSC UINT32_C(0x40000010)

COLD uint64_t x86_tsc_hz(x86_cpuid *cpuid)
{
	uint32_t r[4]; /* denominator, numerator, Hz of the crystal */

	if (!x86_read_leaf(cpuid, LEAF_TSC, r) || r[0] == 0)
		return 0;
	return (uint64_t)r[2] * r[1] / r[0];
}

COLD uint64_t x86_base_hz(x86_cpuid *cpuid)
{
	uint32_t r[4]; /* MHz in the lower half of the first */

	if (!x86_read_leaf(cpuid, LEAF_BASE, r))
		return 0;
	return (uint64_t)(r[0] & 0xffff) * 1000000;
}

COLD uint64_t x86_hypervisor_hz(x86_cpuid *cpuid)
{
	uint32_t r[4];

	if (!x86_read_leaf(cpuid, 1, r) || !(r[2] & X86_HYPERVISOR_BIT))
		return 0;
	cpuid(X86_LEAF_HYPERVISOR, r);
	/* Hyper-V's leaves mean something else; it tells the rate in an MSR, which no program can
	 * read. */
	if (r[0] < LEAF_HYPERVISOR_TSC || r[0] > X86_LEAF_HYPERVISOR + 0xffff ||
	    !memcmp(&r[1], "Microsoft Hv", 12))
		return 0;
	cpuid(LEAF_HYPERVISOR_TSC, r);
	return (uint64_t)r[0] * 1000;
}

COLD uint64_t x86_cpuid_hz(x86_cpuid *cpuid, enum persecond_source source)
{
	switch (source) {
	case PERSECOND_HYPERVISOR_TSC:
		return x86_hypervisor_hz(cpuid);
	case PERSECOND_CPUID_TSC:
		return x86_tsc_hz(cpuid);
	case PERSECOND_CPUID_BASE:
		return x86_base_hz(cpuid);
	default:
		return 0;
	}
}

COLD uint64_t frequency_cpu(enum persecond_source source)
{
	if (source == PERSECOND_PERF_PAGE)
		return x86_perf_page_hz();
	return x86_cpuid_hz(x86_this_cpuid, source);
}
