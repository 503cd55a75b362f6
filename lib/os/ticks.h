/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the counters share that scale a time base: ticks to cycles, and the rate of
 * a time base of which nothing tells it. */

#ifndef CPUCYCLES_TICKS_H
#define CPUCYCLES_TICKS_H

#include "counter.h"
#include "os/clock.h"
#include "os/published.h"
#include "scale.h"

#include <errno.h>
#include <stdbool.h>

/* The rule's scalings are whole numbers of sixteenths: nothing is rounded. */
#define TICKS_SHIFT 4

/* Outside of these a number is not the rate of a time base. */
#define TICKS_HZ_MIN 1000u
#define TICKS_HZ_MAX UINT64_C(100000000000)

static inline bool ticks_is_sane(uint64_t hz)
{
	return hz >= TICKS_HZ_MIN && hz <= TICKS_HZ_MAX;
}

static inline uint64_t ticks_multiplier(const struct counter_conditions *conditions)
{
	return scale_multiplier(conditions->scaling, TICKS_SHIFT);
}

/*
 * floor(ticks * scaling), modulo 2^64. A difference is exact to one cycle however long
 * it is, and across 2^63 and 2^64 cycles; not where the ticks themselves wrap, which
 * takes 584 years at 1 GHz.
 */
static inline long long ticks_cycles(uint64_t ticks, const uint64_t *multiplier)
{
	published_fence();
	return (long long)scale_multiply(ticks, *multiplier, TICKS_SHIFT);
}

/*
 * Measuring. At both ends of a window the counter is read between two readings of
 * the clock, some times, and the pair counts that encloses it closest: what stops this
 * thread on the way makes a pair wide, and what stops it elsewhere stops neither
 * counter nor clock.
 */
#define TICKS_PAIRS 16
#define TICKS_WAITS 10000000 /* a clock that stands still ends the wait */
#define TICKS_WINDOW_MAX_NS 100000000u /* as does a counter that does */

/* Of a rate that is used as if somebody told it: see RATE_TOLD_PPM. */
#define TICKS_WINDOW_NS 4000000u
#define TICKS_PARTS 4000

/* A source of ticks, and the bits after which it wraps. */
struct ticks_source {
	uint64_t (*read)(void);
	unsigned width;
};

/* Ticks at some moment within width ns around ns. */
struct ticks_pair {
	uint64_t ticks, ns, width;
};

static inline bool ticks_clock(uint64_t *ns)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now))
		return false;
	*ns = clock_ns(&now);
	return true;
}

/* 0, or a negative errno. */
static inline int ticks_take_pair(const struct ticks_source *source, struct ticks_pair *best)
{
	*best = (struct ticks_pair){ .width = UINT64_MAX };
	for (int i = 0; i < TICKS_PAIRS; i++) {
		uint64_t before, after, ticks;

		if (!ticks_clock(&before))
			return -errno;
		ticks = source->read();
		if (!ticks_clock(&after))
			return -errno;
		if (after - before < best->width)
			*best = (struct ticks_pair){ ticks, before + (after - before) / 2,
						     after - before };
	}
	return best->width > TICKS_WINDOW_MAX_NS ? -ERANGE : 0;
}

static inline uint64_t ticks_between(const struct ticks_source *source, uint64_t first, uint64_t last)
{
	return (last - first) & UINT64_MAX >> (64 - source->width);
}

/* From two pairs to a rate that is off by one part in so many at most, half of it by the
 * clock and half by what a tick is; 0 if they do not say it so well. */
static inline uint64_t ticks_rate(const struct ticks_source *source, const struct ticks_pair *first,
				  const struct ticks_pair *last, uint64_t parts)
{
	uint64_t ticks = ticks_between(source, first->ticks, last->ticks);
	uint64_t ns = last->ns - first->ns;
	uint64_t hz;

	if (last->ns <= first->ns || first->width + last->width > ns / parts ||
	    ticks < 2 * parts || ticks > UINT64_MAX / CLOCK_NS_PER_S - 1)
		return 0;
	hz = (ticks * CLOCK_NS_PER_S + ns / 2) / ns;
	return ticks_is_sane(hz) ? hz : 0;
}

/* Until so many ns and ticks have passed, and a clock that is read slowly has had the time
 * that it needs. */
static inline void ticks_wait(const struct ticks_source *source, const struct ticks_pair *first,
			      uint64_t least_ns, uint64_t parts)
{
	for (int i = 0; i < TICKS_WAITS; i++) {
		uint64_t ticks = ticks_between(source, first->ticks, source->read()), now;

		if (!ticks_clock(&now) || now - first->ns >= TICKS_WINDOW_MAX_NS ||
		    (now - first->ns >= least_ns && (now - first->ns) / parts >= first->width * 4 &&
		     ticks >= 2 * parts))
			return;
	}
}

/*
 * Ticks per second against CLOCK_MONOTONIC, off by one part in so many at most, over so
 * many ns or more. 0, or a negative errno.
 */
static inline int ticks_measure(const struct ticks_source *source, uint64_t least_ns,
				uint64_t parts, uint64_t *hz)
{
	struct ticks_pair first, last;
	int error = ticks_take_pair(source, &first);

	if (error)
		return error;
	ticks_wait(source, &first, least_ns, parts);
	error = ticks_take_pair(source, &last);
	if (error)
		return error;
	*hz = ticks_rate(source, &first, &last, parts);
	return *hz ? 0 : -ERANGE;
}

/* The rate of a time base of which nothing tells it. 0, or a negative errno. */
static inline int ticks_measured_rate(uint64_t (*read)(void), uint64_t *hz)
{
	const struct ticks_source source = { read, 64 };

	return ticks_measure(&source, TICKS_WINDOW_NS, TICKS_PARTS, hz);
}

#endif
