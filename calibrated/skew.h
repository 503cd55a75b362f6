/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How far a counter on one CPU can be from the same counter on another one. The
 * caller holds the guard, installed. */

#ifndef CPUCYCLES_SKEW_H
#define CPUCYCLES_SKEW_H

#include "counter.h"

#include <stdbool.h>
#include <stdint.h>

/* Pairs of CPUs that are tried: the first one's with others, evenly spread. */
#define SKEW_PAIRS_MAX 4

/* Rounds of a pair; each can only narrow the bounds. */
#define SKEW_ROUNDS_MAX 20000

/* What one CPU can say of another one's counter, relative to its own, in counts. */
struct skew_bounds {
	int64_t low, high;
};

/* Narrow the bounds by one round: the other read `there` between our two readings. Pure. */
void skew_narrow(struct skew_bounds *bounds, uint64_t before, uint64_t there, uint64_t after);

/* The largest skew that the bounds leave possible, in counts. Pure. */
uint64_t skew_largest(const struct skew_bounds *bounds);

/*
 * The largest skew that is possible between the CPUs tried, in counts, of a counter
 * that is set up. False: unknown, because there is one CPU, or staying on one is
 * not permitted, or the time was too short.
 */
bool skew_measure(const struct counter *counter, uint64_t budget_ns, uint64_t *counts);

#endif
