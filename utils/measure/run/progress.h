/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The line on a terminal that says how far the child is. */

#ifndef CPUCYCLES_MEASURE_PROGRESS_H
#define CPUCYCLES_MEASURE_PROGRESS_H

#include "child.h"
#include "progress-line.h"

#include <stdint.h>

/* What each line begins with after `ns` nanoseconds. pair: the function that pair number `number`
 * of `all` is about; NULL: there is no pair. */
void progress_begin_text(char text[PROGRESS_COLUMNS + 1], uint64_t ns, const char *pair,
			 size_t number, size_t all);

/* The text of the line after `ns` nanoseconds, without what makes it a line. */
void progress_text(char text[PROGRESS_COLUMNS + 1], const struct child_job *job,
		   const struct child_memory *memory, uint64_t ns);

/* Add how the last function compares so far, such as ": 0.97 % slower", in the words of the
 * sentence that comes at the end. ratio: outcome_so_far(). */
void progress_add_so_far(double ratio, char text[PROGRESS_COLUMNS + 1]);

/* Show it on standard error, if that is a terminal and it is late enough. ns: now. */
void progress_show(struct progress *progress, const struct child_job *job,
		   const struct child_memory *memory, uint64_t ns);

#endif
