/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The instruction RDTSC, inline: a call of the counter's reader takes as long as a tenth of a pair
 * of fenced reads. */

#ifndef CPUCYCLES_MEASURE_TSC_H
#define CPUCYCLES_MEASURE_TSC_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__) || defined(__i386__)
#define TSC_IS_HERE true
static inline int64_t tsc_read(void)
{
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high));
	return (int64_t)((uint64_t)high << 32 | low);
}
#else
/* Other architectures have no such instruction. */
#define TSC_IS_HERE false
static inline int64_t tsc_read(void)
{
	return 0;
}
#endif

#endif
