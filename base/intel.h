/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which CPU of Intel this is, by the instruction CPUID, inline. */

#ifndef CPUCYCLES_INTEL_H
#define CPUCYCLES_INTEL_H

#include <stdbool.h>
#include <stdint.h>

/* Intel SDM, volume 2A, CPUID: family, model and stepping, in EAX of leaf 1. 0: another maker. */
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>

static inline uint32_t intel_signature(void)
{
	unsigned a, b, c, d;

	if (!__get_cpuid(0, &a, &b, &c, &d) || b != signature_INTEL_ebx ||
	    c != signature_INTEL_ecx || d != signature_INTEL_edx || !__get_cpuid(1, &a, &b, &c, &d))
		return 0;
	return a;
}

/* Whether this is a virtual machine. Source: AMD APM, volume 3, CPUID Fn0000_0001 ECX[31],
 * "reserved for use by hypervisor to indicate guest status"; hypervisors set it on Intel, too. */
static inline bool intel_is_guest(void)
{
	unsigned a, b, c, d;

	return __get_cpuid(1, &a, &b, &c, &d) && c >> 31;
}
#else
static inline uint32_t intel_signature(void)
{
	return 0;
}
#endif

#endif
