/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The time base of 64-bit and 32-bit processes, scaled to cycles. The platform gives it its rate,
 * which stands in no register. Sources: Power ISA, book II, chapter 6 "Time Base"; the kernel's
 * arch/powerpc/include/asm/vdso/timebase.h for the Cell's erratum. */

#ifndef CPUCYCLES_MFTB_H
#define CPUCYCLES_MFTB_H

#include "counter.h"
#include "os/ticks.h"
#include "os/timebase.h"

#if !defined(__powerpc__)
#error "POWER only"
#endif

#if defined(__powerpc64__)
static uint64_t mftb_read(void)
{
	uint64_t ticks;

	/* The Cell may carry into the upper half a moment after the lower half has become 0. */
	do
		__asm__ volatile("mfspr %0, 268" : "=r"(ticks));
	while ((uint32_t)ticks == 0);
	return ticks;
}
#else
static uint64_t mftb_read(void)
{
	uint32_t high, low, again;

	/* Again if the upper half has changed while the lower one was read. */
	do
		__asm__ volatile("mftbu %0\n\tmftb %1\n\tmftbu %2"
				 : "=r"(high), "=r"(low), "=r"(again));
	while (high != again);
	return (uint64_t)high << 32 | low;
}
#endif

static int mftb_rate(uint64_t *hz)
{
	return timebase_rate(mftb_read, hz);
}

TICKS_FUNCTION(mftb_read)

/* All of the counter but its name, class and width. */
#define MFTB_COUNTER \
	.rate = mftb_rate, .hz_source = TIMEBASE_HZ_SOURCE, TICKS_COUNTER, \
	.signals = COUNTER_SIGNAL(SIGILL) | COUNTER_SIGNAL(SIGSEGV), \
	.caveat = "ticks at a constant rate, scaled to cycles; " \
		  "not ordered with the instructions around it"

#endif
