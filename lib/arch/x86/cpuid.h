/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CPUID, called through a pointer so that a test can put a made CPU in the place of this one. */

#ifndef CPUCYCLES_CPUID_H
#define CPUCYCLES_CPUID_H

#include <cpuid.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
#include <sys/platform/x86.h>
#endif

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

/* Whether the CPU is known to have SSE4A, as glibc found when the program started. False where
 * nothing is known, because another libc does not ask. */
static inline bool x86_has_sse4a(void)
{
#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
	return CPU_FEATURE_PRESENT(SSE4A);
#else
	return false;
#endif
}

/* Whether glibc has found out what the CPU has. Every CPU of 64 bits has SSE2. */
static inline bool x86_knows_features(void)
{
#ifdef HAVE_X86_GET_CPUID_FEATURE_LEAF
	return CPU_FEATURE_PRESENT(SSE2);
#else
	return false;
#endif
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
