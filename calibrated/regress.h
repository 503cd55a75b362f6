/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Computes a rate and the bound of its error from recorded readings. Pure functions over arrays. */

#ifndef CPUCYCLES_REGRESS_H
#define CPUCYCLES_REGRESS_H

#include "rate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A longer run is cut. */
#define REGRESS_PAIRS_MAX 512

/* With fewer pairs on one line the rate is unknown. */
#define REGRESS_PAIRS_MIN 8

/* A rate that may be off by a larger part is unknown. The few pairs of such a line may be of other
 * lines in truth, where a counter with a coarse step has jumped several times. */
#define REGRESS_ERROR_MAX 0.5

/* A pair whose counts are further apart than this many times the median was interrupted. It is
 * discarded. */
#define REGRESS_WIDTH_MAX 3

/* Straight lines that one run may consist of. Each jump of clock or counter begins another one. */
#define REGRESS_LINES_MAX 16

/* One reading of a clock between two readings of a counter. */
struct regress_pair {
	uint64_t before, after; /* counts */
	uint64_t ns;            /* of the clock */
};

struct regress_run {
	const struct regress_pair *pairs; /* in the order in which they were read */
	size_t n;
	uint64_t step;       /* counts: the counter moves by no more at once */
	uint64_t clock_step; /* ns, likewise */
};

/* How a rate was found, for the log. */
struct regress_report {
	size_t used;      /* pairs on the line whose slope the rate is */
	size_t lines;     /* 1 if nothing jumped */
	uint64_t span_ns; /* from the first to the last of these pairs */
};

/*
 * The counter's rate against the clock; 0 Hz if it is unknown. The rate is the slope by least
 * squares over the longest part of the run in which neither of the two jumped.
 *
 * The bound needs no assumption about noise. When the clock showed ns, the counter stood somewhere
 * between `before` and `after`, and this bounds the slope between any two pairs. The bound also
 * leaves room for one jump that is too small to be seen between `before` and `after`.
 */
struct rate regress_rate(const struct regress_run *run, struct regress_report *report);

/* What the same work of two lengths took, again and again: times in ns, or counts. They get sorted.
 */
struct regress_batches {
	uint64_t *brief, *whole;
	size_t n;      /* of each */
	uint64_t step; /* of the clock or the counter */
};

/*
 * The frequency at which the work takes these times; 0 Hz if it is unknown. cycles: those that the
 * long work has more than the short one. What a batch takes in addition to the work is not counted,
 * because both lengths have it. The shortest times decide, if two others are close to them. The
 * bound is the spread of the fastest quarter, and the steps of the clock.
 */
struct rate regress_best(struct regress_batches times, uint64_t cycles);

/* The same, where the cycles were counted. */
struct rate regress_counted(struct regress_batches times, struct regress_batches counts);

/* Whether two known rates may be the same: their bounds overlap. */
bool regress_overlap(struct rate a, struct rate b);

#endif
