/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The CPU's model, its time-stamp counter and the hypervisor, as CPUID tells them. */

#include "config.h"

#include "arch/x86/cpuid.h"
#include "hot.h"
#include "machine.h"

#include <string.h>

#if !defined(__x86_64__) && !defined(__i386__)
#error "x86 only"
#endif

#define FEATURES 1
#define EXTENDED 0x80000000
#define POWER 0x80000007
#define POWER_EDX_INVARIANT_TSC (1u << 8)

/* EAX of leaf 1. In a virtual machine CPUID takes microseconds, because the host answers it. glibc
 * has asked at the program's start and kept the registers (sys/platform/x86.h). */
bool machine_signature(uint32_t *signature)
{
	unsigned eax = 0, ebx, ecx, edx;

#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
	eax = __x86_get_cpuid_feature_leaf(CPUID_INDEX_1)->cpuid_array[cpuid_register_index_eax];
#endif
#ifdef __x86_64__
	/* Every CPU has this leaf, so its highest leaf is not asked for. */
	if (!eax)
		__cpuid(1, eax, ebx, ecx, edx);
#else
	if (!eax)
		__get_cpuid(1, &eax, &ebx, &ecx, &edx);
#endif
	*signature = eax;
	return true;
}

/* Sources: Intel SDM volume 2A and AMD64 APM volume 3, CPUID leaf 0x80000007. */
COLD enum machine_tsc machine_cpu_tsc(void)
{
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid(FEATURES, &eax, &ebx, &ecx, &edx) || !(edx & X86_TSC_BIT))
		return MACHINE_TSC_NONE;
	if ((unsigned)__get_cpuid_max(EXTENDED, NULL) < POWER)
		return MACHINE_TSC_VARIABLE;
	__cpuid(POWER, eax, ebx, ecx, edx);
	return edx & POWER_EDX_INVARIANT_TSC ? MACHINE_TSC_INVARIANT : MACHINE_TSC_VARIABLE;
}

COLD bool machine_hypervisor(char signature[MACHINE_HYPERVISOR_SIZE])
{
	uint32_t r[4];

	if (!x86_read_leaf(x86_this_cpuid, FEATURES, r) || !(r[2] & X86_HYPERVISOR_BIT))
		return false;
	x86_this_cpuid(X86_LEAF_HYPERVISOR, r);
	memcpy(signature, &r[1], MACHINE_HYPERVISOR_SIZE - 1);
	signature[MACHINE_HYPERVISOR_SIZE - 1] = 0;
	return true;
}
