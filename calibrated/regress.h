/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* From recorded readings to a rate and its error bound: pure functions over arrays. */

#ifndef CPUCYCLES_REGRESS_H
#define CPUCYCLES_REGRESS_H

#include "rate.h"

#include <stddef.h>
#include <stdint.h>

/* A longer run is cut. */
#define REGRESS_PAIRS_MAX 512

/* With fewer pairs on one line nothing is known. */
#define REGRESS_PAIRS_MIN 8

/* A pair whose bracket is wider than so many median ones was interrupted: discarded. */
#define REGRESS_WIDTH_MAX 3

/* Lines that one run may consist of: each jump of clock or counter begins another. */
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
	size_t used;      /* pairs on the line that the rate is the slope of */
	size_t lines;     /* 1, if nothing jumped */
	uint64_t span_ns; /* from the first to the last of the used */
};

/*
 * The counter's rate against the clock. The estimate is the least squares' over the
 * longest part of the run in which neither jumped. The bound needs no assumption
 * about noise: when the clock showed ns, the counter was somewhere in its bracket,
 * which bounds the slope between any two pairs; and it leaves room for one jump that
 * is too small for the brackets to show. Unknown: 0 Hz.
 */
struct rate regress_rate(const struct regress_run *run, struct regress_report *report);

/*
 * The rate of what takes `cycles` each time, from how long it took: the best of
 * many, if others confirm it; the bound is the spread of the fastest quarter.
 * times are in ns and get sorted. Unknown: 0 Hz.
 */
struct rate regress_best(uint64_t times[], size_t n, uint64_t cycles, uint64_t clock_step);

#endif
