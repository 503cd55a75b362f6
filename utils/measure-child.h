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

/* Room for the name of a counter. */
#define CHILD_NAME 64

/* What the child is to do. */
struct child_job {
	struct target **targets; /* n of them; without any, the machine is checked */
	size_t n;
	struct cpucycles_meter_options options;
	struct cpucycles_plan plan; /* of this process */
	size_t process;             /* its number, from 0 */
	unsigned batch;             /* calls in a sample, as in the first process; 0: this is it */
	uint64_t budget_ns;         /* of all processes */
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

/* What a child leaves for its parent. A function may write anywhere, also here. So the parent
 * believes nothing in it: it looks at numbers before it uses them, and follows no pointer. */
struct child_shared {
	_Atomic(int) phase;
	_Atomic(size_t) which;
	/* When the phase is CHILD_IS_DONE, what came of the phase before: 0 or a negative errno. */
	enum child_phase last;
	int error;
	struct cpucycles_reason reason;
	uint64_t warnings; /* of the check */
	/* Memory that the child takes up so that the rest lies elsewhere. Nobody reads it. */
	void *kept;
	volatile char *deeper;

	_Atomic(bool) opened;
	/* Once it is opened. */
	struct cpucycles_counter_info info;
	char counter[CHILD_NAME];          /* its name */
	struct cpucycles_reason next_best; /* which counter could not be had */
};

/* Where that is. This structure itself is not shared. */
struct child_memory {
	struct child_shared *shared;
	struct cpucycles_meter *meter; /* behind it, shared, too */
	size_t bytes, meter_bytes;
};

/* Memory for this job. 0 or a negative errno, with *reason. */
int child_map(const struct child_job *job, struct child_memory *memory,
	      struct cpucycles_reason *reason);

void child_unmap(struct child_memory *memory);

/* Do the job and end the process. */
_Noreturn void child_work(const struct child_job *job, const struct child_memory *memory);

/* The index of the target that the child is at, whatever became of the child; job->n: none. */
size_t child_is_at(const struct child_job *job, const struct child_memory *memory);

#endif
