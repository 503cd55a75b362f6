/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "tabular.h"
#include "gate-table.h"
#include "row.h"
#include "sentences.h"
#include "sizes-table.h"
#include "subject.h"

#include <errno.h>
#include <stdlib.h>

static size_t rows_of(const struct outcome outcomes[], size_t n)
{
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		rows += outcomes[i].targets_count;
	return rows;
}

/* Rows without figures are for programs. */
static bool is_listed(const struct outcome *outcome, enum table_form form)
{
	return !outcome->unchanged || form == TABLE_CSV;
}

/* Whether there is anything to say of the functions. A library that does not load is no answer on
 * any of them. */
static bool is_empty(const struct outcome outcomes[], size_t n, enum table_form form)
{
	for (size_t i = 0; i < n; i++) {
		if (outcomes[i].count || outcomes[i].interrupted ||
		    (outcomes[i].unchanged && is_listed(&outcomes[i], form)))
			return false;
		for (size_t t = 0; t < outcomes[i].targets_count; t++)
			if (outcomes[i].targets[t].state != TARGET_MEASURED)
				return false;
	}
	return true;
}

/* An event that was not counted has no column. The counter's own cycles have one already. */
static size_t choose_events(const struct outcome outcomes[], size_t n,
			    struct figures_event events[OUTCOME_CYCLES + 1])
{
	const struct outcome *const o = outcome_opened(outcomes, n);
	size_t chosen = 0;

	for (size_t i = 0; i < o->events_count; i++)
		if (outcome_event(outcomes, n, i, true))
			events[chosen++] = (struct figures_event){ o->events[i].info.name, i };
	if (outcome_event(outcomes, n, OUTCOME_CYCLES, true) &&
	    o->info.unit != CPUCYCLES_UNIT_CYCLES)
		events[chosen++] = (struct figures_event){ "cpu-cycles", OUTCOME_CYCLES };
	return chosen;
}

/* Why the counter that is needed could not be had, and which events were not counted. */
static size_t find_lacks(const struct outcome outcomes[], size_t n,
			 struct figures_lack lacks[OUTCOME_CYCLES + 1])
{
	const struct outcome *const o = outcome_opened(outcomes, n);
	size_t found = 0;

	if (o->info.next_best)
		lacks[found++] = (struct figures_lack){ "next best", &o->next_best };
	for (size_t i = 0; i < o->events_count; i++) {
		const struct outcome_event *event = outcome_event(outcomes, n, i, false);

		if (event)
			lacks[found++] = (struct figures_lack){ "not counted", &event->reason };
	}
	return found;
}

static struct figures_machine machine_of(const struct outcome outcomes[], size_t n)
{
	struct figures_machine machine = { outcomes->load, outcomes->cpus, outcomes->governed, 0,
					   "-v" };

	for (size_t i = 0; i < n; i++)
		machine.slow += outcomes[i].slow;
	return machine;
}

/* any: something stands before it. */
static void put_last(const char *sentence, enum table_form form, bool *any, FILE *to)
{
	fputs(*any ? "\n" : "", to);
	*any = true;
	table_put(sentence, form, to);
	putc('\n', to);
}

/* What came of a precision that was asked for, and of pairs. */
static void put_answers(const struct outcome outcomes[], size_t n, enum table_form form, bool any,
			FILE *to)
{
	char sentence[SENTENCE_TEXT];

	for (size_t i = 0; i < n; i++) {
		if (sentence_precision(&outcomes[i], sentence))
			put_last(sentence, form, &any, to);
		if (sentence_unchanged(&outcomes[i], sentence))
			put_last(sentence, form, &any, to);
	}
	if (sentence_pairs(outcomes, n, sentence))
		put_last(sentence, form, &any, to);
}

/* Whether each size is a row with all functions. The counts of events need columns of their own. */
static bool has_sizes(const struct outcome outcomes[], size_t n, enum table_form form)
{
	return n > 1 && outcomes[0].targets_count > 0 && outcomes[0].targets[0].sized &&
	       form != TABLE_CSV && outcome_opened(outcomes, n)->events_count == 0;
}

int tabular_print(const struct outcome outcomes[], size_t n, enum table_form form, bool colour,
		  FILE *to)
{
	const struct outcome *const o = outcome_opened(outcomes, n);
	struct figures_function *const rows = calloc(rows_of(outcomes, n) + 1, sizeof *rows);
	struct figures_event events[OUTCOME_CYCLES + 1];
	struct figures_lack lacks[OUTCOME_CYCLES + 1];
	struct figures figures = {
		.words = subject_words(outcomes)->figures,
		.counter = o->opened ? o->info.counter : NULL,
		.resolution = o->info.resolution,
		.unit = o->opened ? outcome_unit(o) : "ns",
		.functions = rows,
		.events = events,
		.events_count = choose_events(outcomes, n, events),
		.lacks = lacks,
		.lacks_count = o->opened ? find_lacks(outcomes, n, lacks) : 0,
		.machine = machine_of(outcomes, n),
		.ending = sentence_ending(outcomes, n),
		.colour = colour,
		.table = has_sizes(outcomes, n, form) ? sizes_table : NULL,
		.each = outcomes[0].targets_count,
	};
	const bool empty = is_empty(outcomes, n, form);
	int error = 0;

	if (!rows)
		return -ENOMEM;
	if (o->gate > 0 && form != TABLE_CSV) {
		error = gate_table(outcomes, n, form, colour, to);
		if (!error)
			error = figures_lacks(&figures, form, to);
		free(rows);
		return error;
	}
	for (size_t i = 0; i < n; i++)
		for (size_t t = 0; is_listed(&outcomes[i], form) && t < outcomes[i].targets_count;
		     t++) {
			struct figures_function *const row = &rows[figures.count++];

			row_fill(row, &outcomes[i], &outcomes[i].targets[t]);
			/* Programs know a function by the name that the command line gives it. */
			if (form == TABLE_CSV)
				row->name = outcomes[i].targets[t].label;
		}
	if (!empty)
		error = figures_print(&figures, form, to);
	if (form != TABLE_CSV)
		put_answers(outcomes, n, form, !empty, to);
	free(rows);
	return error;
}
