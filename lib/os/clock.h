/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the counters that scale a clock of nanoseconds share. */

#ifndef CPUCYCLES_CLOCK_H
#define CPUCYCLES_CLOCK_H

#include "counter.h"
#include "os/published.h"
#include "scale.h"

#include <time.h>

#define CLOCK_NS_PER_S 1000000000u

/* The rate of a clock that is read in ns. */
static inline int clock_rate(uint64_t *hz)
{
	*hz = CLOCK_NS_PER_S;
	return 0;
}

static inline uint64_t clock_ns(const struct timespec *t)
{
	return (uint64_t)t->tv_sec * CLOCK_NS_PER_S + (uint64_t)t->tv_nsec;
}

/* ns in cycles, by the multiplier that setup left. */
static inline long long clock_cycles(uint64_t ns, const uint64_t *multiplier)
{
	published_fence();
	return (long long)scale_multiply(ns, *multiplier, SCALE_CLOCK_SHIFT);
}

/*
 * The same of a clock's time, without making ns of it first: of the two products none waits for the
 * other. The last ns of a second is less than a second in cycles, so the sum never falls.
 */
static inline long long clock_time_cycles(const struct timespec *t, const uint64_t *persecond,
					  const uint64_t *multiplier)
{
	uint64_t rest = (uint64_t)clock_cycles((uint64_t)t->tv_nsec, multiplier);

	return (long long)((uint64_t)t->tv_sec * *persecond + rest);
}

/* The multiplier from ns to cycles, for a clock with this rate. */
static inline uint64_t clock_multiplier(const struct counter_conditions *conditions)
{
	struct ratio per_ns = { conditions->persecond, CLOCK_NS_PER_S };

	return scale_multiplier(per_ns, SCALE_CLOCK_SHIFT);
}

/*
 * CLOCK_MONOTONIC by a real system call, in ns, whatever became of the vDSO.
 * Returns 0, or a negative errno and sets 0 ns.
 */
int clock_by_syscall(uint64_t *ns);

#endif
