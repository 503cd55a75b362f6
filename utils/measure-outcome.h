/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* All that is printed, as figures and sentences. */

#ifndef CPUCYCLES_MEASURE_OUTCOME_H
#define CPUCYCLES_MEASURE_OUTCOME_H

#include "measure-child.h"
#include "measure-target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses, documented in cpucycles-measure(1). If several fit, it is 3, or else
 * the smallest. */
enum outcome_status {
	OUTCOME_OK = 0,
	OUTCOME_WARNING = 1, /* --check only */
	OUTCOME_USAGE = 2,
	OUTCOME_OUTPUT = 3,       /* it is not complete */
	OUTCOME_NOT_FOUND = 4,    /* a library or a function */
	OUTCOME_NO_COUNTER = 5,   /* that fulfils the need */
	OUTCOME_CRASHED = 6,      /* a function */
	OUTCOME_HUNG = 7,         /* a function */
	OUTCOME_TOO_FAST = 8,     /* a function */
	OUTCOME_FAILED = 9,       /* for another reason */
	OUTCOME_NOT_COUNTED = 10, /* an event */
	OUTCOME_INTERRUPTED = 130 /* what there was is printed */
};

#define OUTCOME_WARNINGS 8

struct outcome_warnings {
	size_t n;
	struct {
		const char *name;
		struct cpucycles_reason reason;
	} list[OUTCOME_WARNINGS];
};

/* An event that was asked for. */
struct outcome_event {
	int error; /* why it was not counted: a negative errno */
	struct cpucycles_event_info info;
	struct cpucycles_reason reason;
	bool is_instructions, is_miss;
};

/* One function that was measured. */
struct outcome_function {
	const struct target *target;
	struct cpucycles_result result;
	struct outcome_warnings warnings;
	bool compared; /* with the first one */
	struct cpucycles_verdict verdict;
	const double *samples; /* result.samples of them */
	/* Counts per call; not a number: there is none. */
	double events[EVENTS_MAX], cycles, tsc;
};

struct outcome {
	const struct target *targets; /* of the whole command line */
	size_t targets_count;
	bool check, interrupted;
	bool checked; /* the check has come to its end */
	struct cpucycles_plan plan;
	size_t samples_max;

	bool opened; /* the counter is known */
	struct cpucycles_meter_info info;
	struct cpucycles_reason next_best;

	struct outcome_event events[EVENTS_MAX];
	size_t events_count;
	struct outcome_event cycles; /* that are counted with the events */

	struct outcome_function *functions;
	size_t count;
	double error;                     /* of one comparison */
	size_t places;                    /* samples of each function in a round */
	struct outcome_warnings warnings; /* of the check */
	struct child_memory *memory;      /* where the samples stand */
};

/* "cycles", "ticks" or "ns". */
const char *outcome_unit(const struct outcome *outcome);

/* What a child has found out about the counter. */
void outcome_counter(struct outcome *outcome, const struct child_memory *memory);

/* What a child has measured, whole or in part. The outcome keeps the memory. 0; -ENODATA: there are
 * no samples; -ENOMEM. */
int outcome_fill(struct outcome *outcome, const struct child_job *job, struct child_memory *memory);

void outcome_free(struct outcome *outcome);

/* Whether an event that was asked for was not counted. */
bool outcome_lacks_events(const struct outcome *outcome);

/* Not a number: the events that this takes were not counted, or not in the same modes. */
double outcome_instructions_per_cycle(const struct outcome *outcome,
				      const struct outcome_function *function);

/* Of event number i, by those of misses only. */
double outcome_per_thousand_instructions(const struct outcome *outcome,
					 const struct outcome_function *function, size_t i);

/* What of the machine's work an event counts. */
const char *outcome_modes(const struct cpucycles_event_info *info);

/* The verdict on function number i, in words and figures. */
#define OUTCOME_TEXT 1024
void outcome_sentence(const struct outcome *outcome, size_t i, char text[OUTCOME_TEXT]);

#endif
