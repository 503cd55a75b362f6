/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a program sees of cpucycles(): the cost of a call, and cycles beside a clock. */

#ifndef CPUCYCLES_OBSERVE_H
#define CPUCYCLES_OBSERVE_H

#include <stddef.h>
#include <stdint.h>

#define OBSERVE_COUNTS 64
#define OBSERVE_DIFFERENCES (OBSERVE_COUNTS - 1)

/* Loops of 2^10 to 2^20 rounds. */
#define OBSERVE_FIRST_LOG 10
#define OBSERVE_LAST_LOG 20
#define OBSERVE_LOOPS (OBSERVE_LAST_LOG - OBSERVE_FIRST_LOG + 1)

/* One loop: four counts around two readings of a clock, in this order: outer,
 * clock, inner, the loop, inner, clock, outer. */
struct observe_reading {
	uint64_t inner;         /* cycles */
	uint64_t outer;         /* cycles */
	uint64_t ns;            /* between the readings of the clock */
	uint64_t resolution_ns; /* of the clock */
};

/* Cycles per second, rounded outwards: the truth lies between them. */
struct observe_bounds {
	uint64_t low, high;
};

struct observe_loop {
	uint32_t loops;
	uint64_t us;
	struct observe_bounds persecond;
};

/*
 * The mean of the middle half, rounded to the nearest; a value on the border of a
 * quarter counts in part. Pure. n > 0. The values get sorted.
 */
long long observe_interquartile_mean(long long values[], size_t n);

/* Pure. Always finite: a clock that did not move is taken to have moved by 1 ns. */
struct observe_bounds observe_bounds(const struct observe_reading *reading);

/* Differences of adjacent counts of back-to-back calls. */
void observe_differences(long long differences[OBSERVE_DIFFERENCES]);

/* Every loop, the shortest first. */
void observe_loops(struct observe_loop loops[OBSERVE_LOOPS]);

#endif
