/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Counters that read a time base: a register whose ticks come at a constant rate. The counter
 * scales the ticks to cycles.
 *
 * The counter's rate function asks the architecture or the kernel (os/timebase.h). Where nothing
 * tells the rate, it calls ticks_measured_rate. Setup and read are those of TICKS_COUNTER.
 */

#ifndef CPUCYCLES_TICKS_H
#define CPUCYCLES_TICKS_H

#include "counter.h"
#include "hot.h"
#include "os/clock.h"
#include "os/published.h"
#include "scale.h"

#include <stdbool.h>

/* Measures the rate of a 64-bit time base, which takes at least TICKS_WINDOW_NS. Returns 0, or a
 * negative errno. */
int ticks_measured_rate(uint64_t (*read)(void), uint64_t *hz);

/* The binary point of the multiplier. The rule's divisors are powers of two up to 2^10, so the
 * multiplier is exact. At 100 GHz and 1 kHz, the largest scaling, the multiplier has 37 bits. */
#define TICKS_SHIFT 10

/* The multiplier for ticks_cycles. */
static inline uint64_t ticks_multiplier(const struct counter_conditions *conditions)
{
	return scale_multiplier(conditions->scaling, TICKS_SHIFT);
}

/*
 * floor(ticks * scaling) modulo 2^64, by the multiplier that setup published. A difference of two
 * counts is exact to one cycle however long the time between them is, also where the counts pass
 * 2^63 or 2^64. The ticks themselves must not wrap, which takes 584 years at 1 GHz.
 */
static inline long long ticks_cycles(uint64_t ticks, const uint64_t *multiplier)
{
	published_fence();
	return (long long)scale_multiply(ticks, *multiplier, TICKS_SHIFT);
}

/* For struct counter. The multiplier is that of the one counter of this file. */
static HOT uint64_t ticks_published;

static inline int ticks_setup(const struct counter_conditions *conditions)
{
	published_keep(&ticks_published, ticks_multiplier(conditions));
	return 0;
}

/* The read of a counter whose ticks this function reads, and what all such counters have in struct
 * counter. */
#define TICKS_FUNCTION(read_ticks) \
	static long long read_cycles(void) \
	{ \
		return ticks_cycles(read_ticks(), &ticks_published); \
	}
#define TICKS_COUNTER .setup = ticks_setup, .read = read_cycles

/* CLOCK_MONOTONIC as libc reads it. False sets errno. */
static inline bool ticks_clock(uint64_t *ns)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now))
		return false;
	*ns = clock_ns(&now);
	return true;
}

/*
 * Measuring a rate. At both ends of a window of time the counter is read between two readings of
 * the clock. This is done several times, and the pair whose clock readings are closest together
 * counts: an interruption of this thread makes a pair wide, and leaves the other pairs as they are.
 */

struct ticks_source {
	uint64_t (*read)(void);
	unsigned width; /* bits after which the ticks wrap */
};

/* The window and the precision for a rate that nothing tells. The rate is used as one that the
 * kernel tells, so its error has to be below RATE_TOLD_PPM (rate.h). */
#define TICKS_WINDOW_NS 4000000u
#define TICKS_PARTS 4000

/*
 * The rate against CLOCK_MONOTONIC, in a window of least_ns or more. Its error is at most one part
 * in parts. Returns 0, or a negative errno: -ERANGE where the counter or the clock does not allow
 * this precision.
 */
int ticks_measure(const struct ticks_source *source, uint64_t least_ns, uint64_t parts,
		  uint64_t *hz);

/* The counter read ticks within width / 2 before or after ns. */
struct ticks_pair {
	uint64_t ticks, ns, width;
};

/*
 * The rate between two pairs, or 0 if its error could be more than one part in parts. Half of this
 * error may come from the clock, the other half from the length of a tick. Pure.
 */
uint64_t ticks_rate(const struct ticks_source *source, const struct ticks_pair *first,
		    const struct ticks_pair *last, uint64_t parts);

#endif
