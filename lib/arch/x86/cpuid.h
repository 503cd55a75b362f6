/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CPUID, called through a pointer so that a test can put a made CPU in the place of this one. */

#ifndef CPUCYCLES_CPUID_H
#define CPUCYCLES_CPUID_H

#include <cpuid.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
