/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How far a counter on one CPU can be from the same counter on another CPU. */

#ifndef CPUCYCLES_SKEW_H
#define CPUCYCLES_SKEW_H

#include <stdbool.h>
#include <stdint.h>

/* Pairs of CPUs that are tried: the first CPU with others, evenly spread. */
#define SKEW_PAIRS_MAX 4

/* Rounds of a pair in skew_measure. Each round can only narrow the bounds. */
#define SKEW_ROUNDS_MAX 20000

/* The counter of one CPU relative to that of another, in counts. */
struct skew_bounds {
	int64_t low, high;
};

/* Narrow the bounds by one round: the other CPU read `there` between our two readings. Pure. */
void skew_narrow(struct skew_bounds *bounds, uint64_t before, uint64_t there, uint64_t after);

/* The largest skew that the bounds leave possible, in counts. Pure. */
uint64_t skew_largest(const struct skew_bounds *bounds);

/* What one pair of CPUs found. */
struct skew_pair {
	int here, there; /* numbers of the CPUs */
	struct skew_bounds bounds;
	uint32_t rounds;
};

/* What is compared. */
struct skew_source {
	long long (*read)(void); /* the counter; set up */
	/* Runs call(argument), which reads the counter and the raw clock. If these can fault here,
	 * it also has to end the call then, and to return something else than 0. */
	int (*guarded)(void (*call)(void *), void *argument);
	void (*found)(const struct skew_pair *pair); /* called for each pair; may be NULL */
};

/*
 * The largest skew that is possible between the CPUs tried, in counts. False: unknown, because
 * there is one CPU, or a process may not stay on one, or the time was too short, or a read faulted.
 */
bool skew_measure(const struct skew_source *source, uint64_t budget_ns, uint64_t *counts);

/*
 * Measure the pair of pair->here and pair->there alone, with as many rounds as the budget allows.
 * False: a process may not stay on one of the CPUs, or the time was too short, or a read faulted.
 * The other player lives no longer than the budget and the time to get to its CPU, also if this
 * process is killed: a long budget is better given in parts, and the narrowest bounds kept.
 */
bool skew_measure_pair(const struct skew_source *source, uint64_t budget_ns,
		       struct skew_pair *pair);

#endif
