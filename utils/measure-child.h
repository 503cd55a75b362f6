/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The process that loads the shared objects and measures. It may crash or hang at any point, in a
 * constructor of a library, a FUNCTION_setup or a function. So whatever it finds out stands in
 * memory that it shares with its parent.
 */

#ifndef CPUCYCLES_MEASURE_CHILD_H
#define CPUCYCLES_MEASURE_CHILD_H

#include "measure-target.h"
#include "meter.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the child is to do. */
struct child_job {
	struct target **targets; /* n of them; without any, the machine is checked */
	size_t n;
	struct cpucycles_meter_options options;
	struct cpucycles_plan plan;
};

/* What the child is at. */
enum child_phase {
	CHILD_STARTS,
	CHILD_LOADS,    /* target number `which` */
	CHILD_OPENS,    /* the meter */
	CHILD_SETS_UP,  /* target number `which` */
	CHILD_MEASURES, /* meter->run.at tells which target */
	CHILD_IS_DONE
};

/* Shared with the parent. */
struct child_memory {
	size_t bytes;
	_Atomic(int) phase;
	_Atomic(size_t) which;
	/* When the phase is CHILD_IS_DONE, what came of the phase before: 0 or a negative errno. */
	enum child_phase last;
	int error;
	struct cpucycles_reason reason;
	uint64_t warnings; /* of the check */

	_Atomic(bool) opened;
	/* Once it is opened. */
	struct cpucycles_meter_info info;
	struct cpucycles_reason next_best; /* which counter could not be had */

	struct cpucycles_meter *meter; /* in the same memory */
	size_t meter_bytes;
};

/* Memory for this job. 0 or a negative errno, with *reason. */
int child_map(const struct child_job *job, struct child_memory **memory,
	      struct cpucycles_reason *reason);

void child_unmap(struct child_memory *memory);

/* Do the job and end the process. */
_Noreturn void child_work(const struct child_job *job, struct child_memory *memory);

/* The index of the target that the child is at, whatever became of the child; job->n: none. */
size_t child_is_at(const struct child_job *job, const struct child_memory *memory);

#endif
