/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CPUID, called through a pointer so that a test can put a made CPU in the place of this one. */

#ifndef CPUCYCLES_CPUID_H
#define CPUCYCLES_CPUID_H

#include <cpuid.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether glibc has found the feature when the program started. False where nothing is known,
 * because another libc does not ask. */
#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
#include <sys/platform/x86.h>
#define X86_HAS(feature) CPU_FEATURE_PRESENT(feature)
#else
#define X86_HAS(feature) false
#endif

/* Of leaf 1, in EDX and in ECX, and the hypervisor's first leaf. They are defined here because
 * compilers give them different names in their cpuid.h. */
#define X86_TSC_BIT (UINT32_C(1) << 4)
#define X86_HYPERVISOR_BIT (UINT32_C(1) << 31)
#define X86_LEAF_HYPERVISOR UINT32_C(0x40000000)

/* EAX, EBX, ECX and EDX of one leaf. */
typedef void x86_cpuid(uint32_t leaf, uint32_t registers[4]);

/* This CPU. */
static inline void x86_this_cpuid(uint32_t leaf, uint32_t registers[4])
{
#ifdef __i386__
	/* The oldest CPUs have no CPUID. For these the answers are zeros, so their highest leaf is
	 * 0. */
	if (!__get_cpuid_max(0, NULL)) {
		for (int i = 0; i < 4; i++)
			registers[i] = 0;
		return;
	}
#endif
	__cpuid_count(leaf, 0, registers[0], registers[1], registers[2], registers[3]);
}

/* False: the CPU has no such leaf. It would answer with the numbers of another one. */
static inline bool x86_read_leaf(x86_cpuid *cpuid, uint32_t leaf, uint32_t registers[4])
{
	cpuid(0, registers);
	if (registers[0] < leaf)
		return false;
	cpuid(leaf, registers);
	return true;
}

#endif
