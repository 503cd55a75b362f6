/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_BENCH_SECONDS_H
#define CPUCYCLES_BENCH_SECONDS_H

#include <time.h>

/* Seconds of a clock that nobody sets. */
static inline double seconds_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

#endif
