/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The arithmetic of samples: pure functions over what was read. */

#ifndef CPUCYCLES_SAMPLES_FIGURES_H
#define CPUCYCLES_SAMPLES_FIGURES_H

#include "skew.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct tally_entry {
	int64_t difference; /* in cycles; negative: the counter ran backwards */
	uint64_t occurrences;
};

/* How often each difference of adjacent counts occurred, the smallest difference first. */
struct tally {
	size_t n;
	struct tally_entry *entries;
};

/* Count these differences too; they get sorted. False: memory ran out, and the tally is as it
 * was. */
bool tally_add(struct tally *tally, int64_t differences[], size_t n);

void tally_free(struct tally *tally);

/* What a counter and the clock say at the same time. */
struct reading {
	int64_t count;
	uint64_t ns;
};

/* By how many millionths the mean rate between two readings is above hz (> 0). Negative: below.
 * False: no time passed. */
bool samples_residual(struct reading first, struct reading last, uint64_t hz, double *ppm);

/* The counts per second between two readings. False: no time passed, or the counter stood still or
 * ran backwards. */
bool samples_hz(struct reading first, struct reading last, double *hz);

/* Keep what both bounds have in common. False: they have nothing in common, so the counters do not
 * keep their distance. */
bool samples_narrow(struct skew_bounds *bounds, struct skew_bounds by);

/*
 * The middle of the bounds in ns, and how far the truth can be from there. hz: counts per second.
 * step: by how many counts the counter moves at once, which each of the two readings may be short
 * of.
 */
void samples_offset(struct skew_bounds bounds, uint64_t hz, double step, double *offset_ns,
		    double *bound_ns);

/* The middle one of n > 0 values, or the mean of the two middle ones. The values get sorted. */
double samples_median(double values[], size_t n);

#endif
