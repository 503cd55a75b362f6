/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The memory that the tool shares with a process that measures. A process that was forked has it
 * from the tool. A program that was linked gets a descriptor of it, and finds its job in it.
 */

#ifndef CPUCYCLES_MEASURE_MEMORY_H
#define CPUCYCLES_MEASURE_MEMORY_H

#include "child.h"

#include <stddef.h>

/* Memory for this job. 0 or a negative errno, with *reason. */
int memory_map(const struct child_job *job, struct child_memory *memory,
	       struct reason_text *reason);

void memory_unmap(struct child_memory *memory);

/* The index of the target that the child is at, whatever became of the child; job->n: none. */
size_t memory_at(const struct child_job *job, const struct child_memory *memory);

/* In a child: become the job's program, which gets the memory, or end this process, with the reason
 * in the memory. */
_Noreturn void memory_start(const struct child_job *job, const struct child_memory *memory);

/* The exit status of a program that finds no order of its version. */
#define MEMORY_NO_ORDER 125

/* In that program: the job that it is to do, with its memory. argument: what the program was given.
 * 0, or a negative errno: the program was not started by this version of the tool. */
int memory_attach(const char *argument, struct child_job *job, struct child_memory *memory);

#endif
