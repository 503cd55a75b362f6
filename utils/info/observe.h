/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a program sees of cpucycles(): the cost of a call, and cycles per second of a clock. */

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

/* Four counts around two readings of a clock, in this order: outer, clock, inner, the loop, inner,
 * clock, outer. */
struct observe_reading {
	uint64_t inner;         /* cycles from one inner count to the other */
	uint64_t outer;         /* cycles from one outer count to the other */
	uint64_t ns;            /* from one reading of the clock to the other */
	uint64_t resolution_ns; /* of the clock */
};

/* Cycles per second. Both are rounded outwards, so the truth lies between them. */
struct observe_bounds {
	uint64_t low, high;
};

struct observe_loop {
	uint32_t loops;
	uint64_t us;
	struct observe_bounds persecond;
};

/*
 * The interquartile mean: the mean of the middle half of n > 0 values, rounded. A value on the
 * border of the middle half counts in part. The values get sorted. Pure.
 */
long long observe_interquartile_mean(long long values[], size_t n);

/* A clock that did not move is taken to have moved by 1 ns, so both bounds are finite. Pure. */
struct observe_bounds observe_bounds(const struct observe_reading *reading);

/* Call cpucycles() OBSERVE_COUNTS times in a row: the differences of adjacent counts. Returns their
 * interquartile mean. */
long long observe_differences(long long differences[OBSERVE_DIFFERENCES]);

/* Run all loops, the shortest first. */
void observe_loops(struct observe_loop loops[OBSERVE_LOOPS]);

#endif
