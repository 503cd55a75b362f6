/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* From what a child has left to plain numbers. A function may have written to that memory, so the
 * answer is believed only where it makes sense. */

#ifndef CPUCYCLES_MEASURE_ANSWER_H
#define CPUCYCLES_MEASURE_ANSWER_H

#include "child.h"
#include "result/outcome.h"

#include <stddef.h>

/* A copy of a child's meter with the samples of its first rounds. No other process writes to the
 * copy. 0; -ENODATA: there is no meter; -EBADMSG: what the child has left makes no sense;
 * -ENOMEM. */
int answer_adopt(const struct child_job *job, const struct child_memory *memory, size_t rounds,
		 struct cpucycles_meter **meter);

/* What the child has found out about the counter and the events, which both its meter and the
 * memory of such a copy have. */
void answer_counter(const struct child_shared *shared, const struct cpucycles_meter *meter,
		    struct outcome *outcome);

/* The index in the job of the outcome's function number i. */
size_t answer_work(const struct outcome *outcome, const struct child_job *job, size_t i);

/* Make a part of such a copy. *part is all zeros. 0; -ENODATA: there are no samples, or not of all
 * functions. */
int answer_judge(const struct outcome *outcome, const struct child_job *job,
		 const struct cpucycles_meter *meter, struct outcome_part *part);

#endif
