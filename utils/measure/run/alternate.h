/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Runs programs in turns until it is known which is faster. What a run is, the caller knows. */

#ifndef CPUCYCLES_MEASURE_ALTERNATE_H
#define CPUCYCLES_MEASURE_ALTERNATE_H

#include "counts.h"
#include "result/outcome.h"

#include <stdbool.h>
#include <stddef.h>

/* What one run has taken, or one iteration of its benchmark. Not a number: not known. */
struct alternate_values {
	double cpu_ns, wall_ns;
	double memory; /* bytes */
	struct counts_values counts;
};

struct alternate {
	/* Run side number `side` with `padding` bytes of padding in its environment. OUTCOME_OK:
	 * the values are known. OUTCOME_INTERRUPTED: signals_asked(). Any other status ends the
	 * measurement: a line has said why, and so does the state of the target. */
	enum outcome_status (*run)(void *context, size_t side, size_t padding,
				   struct alternate_values *values);
	void *context;
};

/*
 * Measure n targets, which are the sides of one outcome, in turns: pairs of runs, or more of them
 * if there are more sides. The order within a pair and its padding are drawn from the seed of the
 * plan; all runs of a pair have the same padding. A first run of each side does not count.
 *
 * The outcome has subject, wall, plan, precision, gate, within, alone, pair, number and all at
 * first, and is filled in. signals_prepare() was called before.
 */
enum outcome_status alternate_run(const struct alternate *alternate, struct target targets[],
				  size_t n, struct outcome *outcome);

#endif
