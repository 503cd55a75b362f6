/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Measures in a child. A function that crashes, hangs or is too fast is left out, and the others
 * are measured again by a new child. */

#ifndef CPUCYCLES_MEASURE_TRIES_H
#define CPUCYCLES_MEASURE_TRIES_H

#include "measure-outcome.h"
#include "measure-raw.h"
#include "measure-relink.h"
#include "measure-target.h"

#include <stddef.h>
#include <stdint.h>

/* What all runs of the program share. */
struct tries {
	struct cpucycles_meter_options options;
	uint64_t timeout_ns;
	struct raw *raw;
	struct relink *relink;
};

/* Fills in the outcome, which has the check, the plan and the samples at first, and the fate of
 * each target; and the file of samples, if there is one. Tells what went wrong on standard error. n
 * is 0 for the check. */
enum outcome_status tries_run(const struct tries *tries, struct target targets[], size_t n,
			      struct outcome *outcome);

/*
 * The same for several sizes. targets has n targets for each of them, and *count outcomes are to be
 * filled in. A function that fails with one size is measured with the next one. What would fail
 * again, and Ctrl-C, end this: *count outcomes are filled in then.
 */
enum outcome_status tries_run_sizes(const struct tries *tries, struct target targets[], size_t n,
				    struct outcome outcomes[], size_t *count);

#endif
