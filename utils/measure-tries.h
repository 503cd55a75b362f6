/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Measures in a child. A function that crashes, hangs or is too fast is left out, and the others
 * are measured again by a new child. */

#ifndef CPUCYCLES_MEASURE_TRIES_H
#define CPUCYCLES_MEASURE_TRIES_H

#include "measure-outcome.h"
#include "measure-target.h"

#include <stddef.h>
#include <stdint.h>

/* Fills in the outcome, which has the check, the plan and the samples at first, and the fate of
 * each target. Tells what went wrong on standard error. n is 0 for the check. */
enum outcome_status tries_run(struct target targets[], size_t n,
			      const struct cpucycles_meter_options *options, uint64_t timeout_ns,
			      struct outcome *outcome);

#endif
