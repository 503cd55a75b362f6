/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Computes a rate and the bound of its error from recorded readings. Pure functions over arrays. */

#ifndef CPUCYCLES_REGRESS_H
#define CPUCYCLES_REGRESS_H

#include "rate.h"

#include <stddef.h>
#include <stdint.h>

/* A longer run is cut. */
#define REGRESS_PAIRS_MAX 512

/* With fewer pairs on one line the rate is unknown. */
#define REGRESS_PAIRS_MIN 8

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

/*
 * The frequency at which work of this many cycles takes these times, in ns; 0 Hz if it is unknown.
 * The shortest time decides, if two others are close to it; the bound is the spread of the fastest
 * quarter. The times get sorted.
 */
struct rate regress_best(uint64_t times[], size_t n, uint64_t cycles, uint64_t clock_step);

#endif
