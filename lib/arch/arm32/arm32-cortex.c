/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* PMCCNTR of ARMv7-A, and of ARMv8-A in its 32-bit state, extended to 64 bits. A read faults unless
 * the kernel has set PMUSERENR.EN. It faults on older CPUs, too, but a program that was compiled
 * for one of these may run on a newer CPU, so it has this counter. Source: ARM Architecture
 * Reference Manual, ARMv7-A and ARMv7-R edition, B4.1.113 "PMCCNTR". */

#include "config.h"

#include "counter.h"
#include "arch/arm32/cp15.h"

static uint64_t cp15_register(void)
{
	uint32_t cycles;

	__asm__ volatile(FIXUP("mrc p15, 0, %0, c9, c13, 0") : "=r"(cycles));
	return cycles;
}

const struct counter cpucycles_counter_arm32_cortex = {
	.name = "arm32-cortex",
	.class = COUNTER_ON_CORE,
	.width = 32,
	CP15_COUNTER,
};
