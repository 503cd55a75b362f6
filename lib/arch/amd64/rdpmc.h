/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the three readers of RDPMC share. Sources: Intel SDM volume 2B, RDPMC, and volume
 * 3B, 20.2 "Architectural Performance Monitoring"; AMD64 APM volume 3, RDPMC. */

#ifndef CPUCYCLES_RDPMC_H
#define CPUCYCLES_RDPMC_H

#include "fixup.h"
#include "arch/x86/cpuid.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Intel's fixed counter of unhalted core cycles: bit 30 says fixed, and this one is number 1. */
#define RDPMC_FIXED_CYCLES UINT32_C(0x40000001)

/* While registers are closed (CR4.PCE is clear), RDPMC raises a general protection fault. */
#define RDPMC_CLOSED SIGSEGV

/* The leaf of CPUID that describes the counters. */
#define RDPMC_LEAF UINT32_C(0xa)

/*
 * Bits of that counter, or 0 if the CPU has none, from what CPUID leaf 0xA says (SDM volume 2A).
 * EAX 7:0 is the version of the counters. EDX 4:0 says how many fixed counters there are, from
 * number 0 on, and EDX 12:5 how many bits they have. From version 5 on, bit n of ECX says that
 * fixed counter n is there, too.
 */
static inline unsigned rdpmc_fixed_width(uint32_t eax, uint32_t ecx, uint32_t edx)
{
	const unsigned number = 1, version = eax & 0xff, width = edx >> 5 & 0xff;

	if (version < 2 || width > 64)
		return 0;
	if ((edx & 0x1f) > number || (version >= 5 && ecx >> number & 1))
		return width;
	return 0;
}

/*
 * The same, asked of the CPU by cpuid. Only CPUs that follow AMD's design have SSE4A (AMD64 APM
 * volume 3, CPUID 0x80000001), and these have no fixed counters of Intel's. With sse4a nothing is
 * asked, because a virtual machine leaves CPUID to its host: two leaves take 10 us each there.
 */
static inline unsigned rdpmc_find_fixed(bool sse4a, x86_cpuid *cpuid)
{
	uint32_t r[4];

	if (sse4a || !x86_read_leaf(cpuid, RDPMC_LEAF, r))
		return 0;
	return rdpmc_fixed_width(r[0], r[2], r[3]);
}

static inline uint64_t rdpmc(uint32_t number)
{
	uint32_t low, high;

	__asm__ volatile(FIXUP("rdpmc") : "=a"(low), "=d"(high) : "c"(number));
	return (uint64_t)high << 32 | low;
}

#endif
