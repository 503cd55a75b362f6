/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* From the record of a child to the numbers of a run. A function may have written to that memory,
 * so a record is believed only where it makes sense. */

#ifndef CPUCYCLES_MEASURE_ANSWER_H
#define CPUCYCLES_MEASURE_ANSWER_H

#include "record.h"

/* A checked copy of the record of layout number i of a child that has ended, which the caller
 * frees. No other process writes to the copy. 0; -ENODATA: the child did not come to this layout,
 * or no meter was opened; -EBADMSG: the record makes no sense; -ENOMEM. */
int answer_take(const struct child_job *job, const struct child_memory *memory, size_t i,
		struct record **record);

/* What such a copy says of the counter and the events. */
void answer_counter(const struct record *record, struct outcome *outcome);

/* The samples of function number i of such a copy, which are still in the memory. */
const double *answer_samples(const struct record *record, const struct child_memory *memory,
			     size_t i);

/* Add what the process has measured, also to the targets. 0 or -ENOMEM. */
int answer_add(const struct record *record, const struct child_job *job,
	       const struct child_memory *memory, struct outcome *outcome);

#endif
