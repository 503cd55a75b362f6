/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the three readers of RDPMC share. Sources: Intel SDM volume 2B, RDPMC, and volume
 * 3B, 20.2 "Architectural Performance Monitoring"; AMD64 APM volume 3, RDPMC. */

#ifndef CPUCYCLES_RDPMC_H
#define CPUCYCLES_RDPMC_H

#include "fixup.h"

#include <signal.h>
#include <stdint.h>

/* Intel's fixed counter for unhalted core cycles: bit 30 means fixed, and its number is 1. */
#define RDPMC_FIXED_CYCLES UINT32_C(0x40000001)

/* Closed (CR4.PCE clear), the instruction is a general protection fault. */
#define RDPMC_CLOSED SIGSEGV

static inline uint64_t rdpmc(uint32_t number)
{
	uint32_t low, high;

	__asm__ volatile(FIXUP("rdpmc") : "=a"(low), "=d"(high) : "c"(number));
	return (uint64_t)high << 32 | low;
}

#endif
