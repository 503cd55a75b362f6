/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* TSC of a 32-bit x86, read by the compiler's intrinsic. */

#include "config.h"

#include "counter.h"
#include "arch/x86/tsc.h"

#if !defined(__i386__)
#error "32-bit x86 only"
#endif

#include <x86intrin.h>

static long long read_tsc(void)
{
	return (long long)__rdtsc();
}

const struct counter cpucycles_counter_x86_tsc = {
	.name = "x86-tsc",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	TSC_COUNTER,
	.read = read_tsc,
};
