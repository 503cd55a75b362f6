/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Running the works and taking the samples. What a sample means is in judge.h. */

#ifndef CPUCYCLES_RUN_H
#define CPUCYCLES_RUN_H

#include "samples.h"

/*
 * Turn number i in a row of balanced orders, which are n rows of n turns. Each of the n names comes
 * once in each row, once at each place of a row, and, if n is even, once after each other name:
 * a Latin square that is balanced for carry-over (E. J. Williams, 1949). Pure.
 */
size_t run_balanced(size_t row, size_t i, size_t n);

/*
 * Run. The first n tracks have valid works, and the plan is valid and has no 0. 0; -ERANGE:
 * run->too_fast is the index of the work that is too fast, and the tracks have the figures of the
 * pilot. 0 too if the counter is lost before the first round: run->watch.lost says so. The
 * instrument's overhead is measured again, when the pilots have made the core run as fast as it
 * will.
 */
int run_all(struct run *run, const struct source *source, struct instrument *instrument, size_t n,
	    const struct cpucycles_plan *plan);

#endif
