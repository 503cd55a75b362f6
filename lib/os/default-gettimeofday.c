/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The wall clock in microseconds, scaled to cycles. It is for systems that have no monotonic clock.
 * Source: POSIX.1-2008, gettimeofday. */

#include "config.h"

#include "os/clock.h"

#include <errno.h>
#include <sys/time.h>

#define US_PER_S 1000000u
#define NS_PER_US 1000u

static uint64_t multiplier;

static int rate(uint64_t *hz)
{
	*hz = US_PER_S;
	return 0;
}

static int setup(const struct counter_conditions *conditions)
{
	struct timeval now;

	if (gettimeofday(&now, NULL))
		return -errno;
	published_keep(&multiplier, clock_multiplier(conditions->persecond));
	return 0;
}

static long long read_clock(void)
{
	struct timeval now = { 0 };

	gettimeofday(&now, NULL);
	return clock_cycles(((uint64_t)now.tv_sec * US_PER_S + (uint64_t)now.tv_usec) * NS_PER_US,
			    &multiplier);
}

const struct counter cpucycles_counter_default_gettimeofday = {
	.name = "default-gettimeofday",
	.class = COUNTER_OS_CLOCK,
	.width = 64,
	.rate = rate,
	.hz_source = "microseconds by definition",
	.setup = setup,
	.signals = COUNTER_SIGNAL(SIGSEGV),
	.read = read_clock,
	.caveat = "time, not cycles; runs backwards when the wall clock is set back",
};
