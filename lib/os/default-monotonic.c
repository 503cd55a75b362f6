/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CLOCK_MONOTONIC as libc reads it, scaled to cycles. Sources: POSIX.1-2017, clock_gettime; for the
 * cost of a read, vdso(7). */

#include "config.h"

#include "os/clock.h"

#include <errno.h>

/* From a whole second and from a nanosecond to cycles. Other threads read both, so a later setup
 * leaves them as they are. */
static uint64_t per_second, multiplier;

static int setup(const struct counter_conditions *conditions)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now))
		return -errno;
	published_keep(&per_second, conditions->persecond);
	published_keep(&multiplier, clock_multiplier(conditions->persecond));
	return 0;
}

static long long read_clock(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
	return clock_time_cycles(&now, &per_second, &multiplier);
}

const struct counter cpucycles_counter_default_monotonic = {
	.name = "default-monotonic",
	.class = COUNTER_OS_CLOCK,
	.width = 64,
	.rate = clock_rate,
	.hz_source = "nanoseconds by definition",
	.setup = setup,
	.signals = COUNTER_SIGNAL(SIGSEGV),
	.read = read_clock,
	.caveat = "time, not cycles: scaled by cpucycles_persecond()",
};
