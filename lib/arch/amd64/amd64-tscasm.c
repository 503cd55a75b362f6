/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The time-stamp counter, read by inline assembly, because some compilers have a slow intrinsic for
 * it or none. */

#include "config.h"

#include "counter.h"
#include "arch/x86/tsc.h"

#if !defined(__x86_64__)
#error "amd64 only"
#endif

static long long read_tsc(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (long long)((uint64_t)high << 32 | low);
}

const struct counter cpucycles_counter_amd64_tscasm = {
	.name = "amd64-tscasm",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	TSC_COUNTER,
	.read = read_tsc,
};
