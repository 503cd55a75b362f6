/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The time-of-day clock, scaled to cycles. Source: z/Architecture Principles of Operation, chapter
 * 4 "Time-of-Day Clock" (bit 51 is a microsecond, so the lowest bit, 63, is 1/4096 of one) and
 * chapter 7 "STORE CLOCK FAST". */

#include "config.h"

#include "counter.h"
#include "os/ticks.h"

#if !defined(__s390x__)
#error "z/Architecture only"
#endif

#define TOD_HZ UINT64_C(4096000000)

/* The clock counts from 1900 and overflows in 2042. Scaled to cycles it would pass 2^63 before
 * that. So its ticks are counted from 2020 on, which is given in seconds since 1900: that leaves
 * room for 50 years at 5 GHz. */
#define TOD_BASE (UINT64_C(3786825600) * TOD_HZ)

static uint64_t read_ticks(void)
{
	uint64_t ticks;

	/* As a number, because the assembler knows the name only if it may assume a z9 or later. */
	__asm__ volatile(".insn s,0xb27c0000,%0" : "=Q"(ticks) : : "cc");
	return ticks - TOD_BASE;
}

static int rate(uint64_t *hz)
{
	*hz = TOD_HZ;
	return 0;
}

TICKS_FUNCTION(read_ticks)

const struct counter cpucycles_counter_s390x_stckf = {
	.name = "s390x-stckf",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	.rate = rate,
	.hz_source = "the architecture: 4096 MHz",
	TICKS_COUNTER,
	.signals = COUNTER_SIGNAL(SIGILL),
	.caveat = "ticks at a constant rate, scaled to cycles; "
		  "on a z15 of 5200 MHz the scaling is 5/4, so that the count is 1.5 % low; "
		  "not ordered with the instructions around it",
};
