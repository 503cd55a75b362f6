/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "machine.h"

#include <cpuid.h>

#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
#include <sys/platform/x86.h>
#endif

#if !defined(__x86_64__) && !defined(__i386__)
#error "x86 only"
#endif

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
