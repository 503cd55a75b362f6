/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What a process that measures leaves for its parent: a record of each layout in the memory that
 * they share. The process judges its own samples, which are in the same memory, and fills the
 * record in. A function may write anywhere, also here. So the parent checks the record (answer.c),
 * and follows no pointer in it.
 */

#ifndef CPUCYCLES_MEASURE_RECORD_H
#define CPUCYCLES_MEASURE_RECORD_H

#include "child.h"
#include "result/outcome.h"

struct record_piece {
	struct outcome_piece numbers;
	/* Where they begin, in bytes from the beginning of the memory. The samples of a later
	 * layout take the place of an earlier layout's. */
	size_t samples;
};

struct record {
	bool opened; /* the meter is, and the following is known */
	struct cpucycles_counter_info info;
	char counter[OUTCOME_COUNTER]; /* its name */
	struct reason_text next_best;  /* which counter could not be had */
	struct meter_known known;
	size_t events_count;
	struct outcome_event events[OUTCOME_CYCLES + 1];

	bool measured; /* in this layout, and the following is known */
	struct outcome_leak leak;
	size_t leak_samples[2]; /* as struct record_piece has it */
	size_t samples;         /* of each function */
	size_t places;          /* of each function in a round */
	struct outcome_part part;
	struct record_piece pieces[]; /* in the order of child_work_of() */
};

/* Of one layout. */
size_t record_bytes(const struct child_job *job);

/* Where the record of layout number i is. */
struct record *record_of(const struct child_job *job, const struct child_memory *memory, size_t i);

/* The same in the process that measures, which fills it in next. What is known of the meter is
 * known from the first layout on. */
struct record *record_begin(const struct child_job *job, const struct child_memory *memory,
			    size_t i);

/* The meter has been opened. next_best: the sentence of that. 0 or a negative errno. */
int record_counter(struct record *record, const struct cpucycles_meter *meter,
		   const struct reason_text *next_best);

/* The process has measured. */
void record_run(const struct child_job *job, const struct child_memory *memory);

#endif
