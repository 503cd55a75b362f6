/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The time-stamp counter, read by the compiler's intrinsic. */

#include "config.h"

#include "counter.h"
#include "arch/x86/tsc.h"

#if !defined(__x86_64__)
#error "amd64 only"
#endif

#include <x86intrin.h>

static long long read_tsc(void)
{
	return (long long)__rdtsc();
}

const struct counter cpucycles_counter_amd64_tsc = {
	.name = "amd64-tsc",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	TSC_COUNTER,
	.read = read_tsc,
};
