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

/* Intel's fixed counter for unhalted core cycles: bit 30 means fixed, and its number is 1. */
#define RDPMC_FIXED_CYCLES UINT32_C(0x40000001)

/* Closed (CR4.PCE clear), the instruction is a general protection fault. */
#define RDPMC_CLOSED SIGSEGV

/* The leaf of CPUID that tells of the counters. */
#define RDPMC_LEAF UINT32_C(0xa)

/*
 * Bits of that counter, from CPUID leaf 0xA (SDM volume 2A), or 0 if there is none. EAX 7:0:
 * version; EDX 4:0: how many fixed counters, 12:5: their bits; from version 5 on, each bit of ECX is
 * one that may be there beside the first ones.
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
 * The same of the CPU that cpuid asks. CPUs of AMD's make, and no others, have SSE4A (AMD64 APM volume 3,
 * CPUID 0x80000001), and none of them has Intel's fixed counters. Where sse4a is known to be true, CPUID is
 * not asked: the two leaves are two visits to a virtual machine's host, of 10 us each.
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
