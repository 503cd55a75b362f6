/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What counters share that scale a clock, which counts nanoseconds, to cycles. */

#ifndef CPUCYCLES_CLOCK_H
#define CPUCYCLES_CLOCK_H

#include "counter.h"
#include "os/published.h"
#include "scale.h"

#include <time.h>

#define CLOCK_NS_PER_S 1000000000u

/* For struct counter: the rate of a clock that is read in ns. */
static inline int clock_rate(uint64_t *hz)
{
	*hz = CLOCK_NS_PER_S;
	return 0;
}

static inline uint64_t clock_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * CLOCK_NS_PER_S + (uint64_t)t->tv_nsec;
}

/* ns in cycles, by the multiplier that setup has stored. */
static inline long long clock_cycles(uint64_t ns, const uint64_t *multiplier)
{
	published_fence();
	return (long long)scale_multiply(ns, *multiplier, SCALE_CLOCK_SHIFT);
}

/* The cycles from one time to a later one. 0 if it is not later: a handler may have begun after the
 * read that it interrupts looked at the clock, and a sandbox may forbid the clock, which then is 0.
 */
static inline long long clock_cycles_since(uint64_t start_ns, uint64_t ns,
					   const uint64_t *multiplier)
{
	return ns < start_ns ? 0 : clock_cycles(ns - start_ns, multiplier);
}

/*
 * clock_cycles for seconds and nanoseconds. Two products that do not depend on each other are
 * faster than turning both into ns first. The sum never falls when a second is over, because the
 * last ns of a second is less than a second in cycles.
 */
static inline long long clock_time_cycles(const struct timespec *t, const uint64_t *persecond,
					  const uint64_t *multiplier)
{
	uint64_t rest = (uint64_t)clock_cycles((uint64_t)t->tv_nsec, multiplier);

	return (long long)((uint64_t)t->tv_sec * *persecond + rest);
}

/* The multiplier from ns to cycles. */
static inline uint64_t clock_multiplier(uint64_t persecond)
{
	return scale_multiplier((struct ratio){ persecond, CLOCK_NS_PER_S }, SCALE_CLOCK_SHIFT);
}

/*
 * CLOCK_MONOTONIC in ns, by a system call and not by the vDSO, whose clocks may fault. Keeps errno.
 * 0, or a negative errno with *ns set to 0.
 */
int clock_by_syscall(uint64_t *ns);

#endif
