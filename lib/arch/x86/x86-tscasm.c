/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* TSC of a 32-bit x86, read by inline assembly. */

#include "config.h"

#include "counter.h"
#include "arch/x86/tsc.h"

#if !defined(__i386__)
#error "32-bit x86 only"
#endif

static long long read_tsc(void)
{
	long long ticks;

	__asm__ volatile("rdtsc" : "=A"(ticks));
	return ticks;
}

const struct counter cpucycles_counter_x86_tscasm = {
	.name = "x86-tscasm",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	TSC_COUNTER,
	.read = read_tsc,
};
