/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The Cycle Counter Register of the ARM1176, extended to 64 bits. A read faults unless the kernel
 * has set the V bit of c15, Secure User and Non-secure Access Validation Control. Source:
 * ARM1176JZF-S Technical Reference Manual, 3.2.52 "c15, Cycle Counter Register". */

#include "config.h"

#include "counter.h"
#include "arch/arm32/cp15.h"

#if __ARM_ARCH >= 7
#error "a program for ARMv7 does not run on this CPU"
#endif

static uint64_t cp15_register(void)
{
	uint32_t cycles;

	__asm__ volatile(FIXUP("mrc p15, 0, %0, c15, c12, 1") : "=r"(cycles));
	return cycles;
}

const struct counter cpucycles_counter_arm32_1176 = {
	.name = "arm32-1176",
	.class = COUNTER_ON_CORE,
	.width = 32,
	CP15_COUNTER,
};
