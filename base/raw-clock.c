/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "raw-clock.h"

#include <time.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

#if HAVE_DECL_CLOCK_MONOTONIC_RAW
#define RAW_CLOCK CLOCK_MONOTONIC_RAW
#else
#define RAW_CLOCK CLOCK_MONOTONIC
#endif

#define NS_PER_S 1000000000u

/* This many steps show the smallest one. A clock that moves with the timer interrupt makes few
 * steps, so the number of reads has a limit too. */
#define STEPS_SEEN 100
#define STEP_READS_MAX 100000

bool raw_clock_is_forbidden(void)
{
	int answer = 0;

#ifdef PR_GET_TSC
	if (prctl(PR_GET_TSC, &answer, 0, 0, 0))
		return false; /* as on processors without RDTSC */
	answer = answer == PR_TSC_SIGSEGV;
#endif
	return answer;
}

uint64_t raw_clock_ns(void)
{
	struct timespec now = { 0 };

	clock_gettime(RAW_CLOCK, &now);
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t raw_clock_step(void)
{
	uint64_t smallest = UINT64_MAX, last = raw_clock_ns();

	for (int i = 0, seen = 0; i < STEP_READS_MAX && seen < STEPS_SEEN; i++) {
		uint64_t now = raw_clock_ns();

		if (now <= last)
			continue;
		if (now - last < smallest)
			smallest = now - last;
		last = now;
		seen++;
	}
	return smallest;
}
