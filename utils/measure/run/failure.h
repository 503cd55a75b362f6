/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is said of a child that has not ended well, and of whom. Each function that returns a status
 * says why on standard error, unless something else is said. */

#ifndef CPUCYCLES_MEASURE_FAILURE_H
#define CPUCYCLES_MEASURE_FAILURE_H

#include "child.h"
#include "result/outcome.h"
#include "watch.h"

void failure_complain(const char *what, const struct reason_text *reason);

/* The child crashed, hung or was not started. A function that did so is left out of the job. */
enum outcome_status failure_end(struct child_job *job, const struct child_memory *memory,
				const struct watched *watched, const struct outcome *outcome);

/* The child found a target too fast, which is left out of the job. Nothing is said. */
enum outcome_status failure_too_fast(struct child_job *job, const struct child_memory *memory);

/* The child could not go on, and says why. */
enum outcome_status failure_refused(const struct child_job *job, const struct child_memory *memory);

/* What the child has left is no result: error says why, see answer_adopt(). */
enum outcome_status failure_not_added(const struct outcome *outcome, int error);

/* The status of an error of linking, of which something was said. of_target: it is about a file
 * that is measured. */
enum outcome_status failure_not_linked(int error, bool of_target);

#endif
