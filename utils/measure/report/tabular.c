/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "tabular.h"
#include "row.h"
#include "sentences.h"

#include <errno.h>
#include <stdlib.h>

/* The cycles of the core, which were counted with the events. */
static const char cycles_name[] = "cpu-cycles";

struct maker {
	const struct outcome *outcomes;
	size_t n, rows_count;
	struct figures_function *rows;
	struct figures_event events[OUTCOME_CYCLES + 1]; /* that have a column */
	size_t events_count;
};

static size_t rows_of(const struct outcome outcomes[], size_t n)
{
	size_t rows = 0;

	for (size_t i = 0; i < n; i++)
		rows += outcomes[i].targets_count;
	return rows;
}

/* Whether there is anything to say of the functions. A library that does not load is no answer on
 * any of them. */
static bool is_empty(const struct outcome outcomes[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (outcomes[i].count || outcomes[i].interrupted)
			return false;
		for (size_t t = 0; t < outcomes[i].targets_count; t++)
			if (outcomes[i].targets[t].state != TARGET_MEASURED)
				return false;
	}
	return true;
}

static void add_event(struct maker *maker, size_t number, const char *name)
{
	maker->events[maker->events_count++] = (struct figures_event){ name, number };
}

/* An event that was not counted has no column. The counter's own cycles have one already. */
static void choose_events(struct maker *maker)
{
	const struct outcome *o = outcome_opened(maker->outcomes, maker->n);

	for (size_t i = 0; i < o->events_count; i++)
		if (outcome_event(maker->outcomes, maker->n, i, true))
			add_event(maker, i, o->events[i].info.name);
	if (outcome_event(maker->outcomes, maker->n, OUTCOME_CYCLES, true) &&
	    o->info.unit != CPUCYCLES_UNIT_CYCLES)
		add_event(maker, OUTCOME_CYCLES, cycles_name);
}

/* Why the counter that is needed could not be had, and which events were not counted. */
static size_t fill_lacks(const struct maker *maker, const struct outcome *o,
			 struct figures_lack lacks[OUTCOME_CYCLES + 1])
{
	size_t n = 0;

	if (o->info.next_best)
		lacks[n++] = (struct figures_lack){ "next best", &o->next_best };
	for (size_t i = 0; i < o->events_count; i++) {
		const struct outcome_event *event =
			outcome_event(maker->outcomes, maker->n, i, false);

		if (event)
			lacks[n++] = (struct figures_lack){ "not counted", &event->reason };
	}
	return n;
}

static int put(const struct maker *maker, enum table_form form, bool colour, FILE *to)
{
	const struct outcome *o = outcome_opened(maker->outcomes, maker->n);
	struct figures_lack lacks[OUTCOME_CYCLES + 1];
	struct figures figures = {
		.unit = "ns",
		.functions = maker->rows,
		.count = maker->rows_count,
		.events = maker->events,
		.events_count = maker->events_count,
		.lacks = lacks,
		.ending = outcome_ending(maker->outcomes, maker->n),
		.colour = colour,
	};

	if (o->opened) {
		figures.counter = o->info.counter;
		figures.step = o->info.step;
		figures.unit = outcome_unit(o);
		figures.lacks_count = fill_lacks(maker, o, lacks);
	}
	return figures_print(&figures, form, to);
}

static void put_last(const char *sentence, enum table_form form, FILE *to)
{
	putc('\n', to);
	table_put(sentence, form, to);
	putc('\n', to);
}

/* What came of a precision and of a gate that were asked for. */
static void put_answers(const struct outcome outcomes[], size_t n, enum table_form form, FILE *to)
{
	char sentence[OUTCOME_TEXT];

	for (size_t i = 0; i < n; i++) {
		if (outcome_precision_sentence(&outcomes[i], sentence))
			put_last(sentence, form, to);
		if (outcome_gate_sentence(&outcomes[i], sentence))
			put_last(sentence, form, to);
	}
	if (outcome_pairs_sentence(outcomes, n, sentence))
		put_last(sentence, form, to);
}

int measure_table(const struct outcome outcomes[], size_t n, enum table_form form, bool colour,
		  FILE *to)
{
	const size_t rows = rows_of(outcomes, n);
	struct maker maker = {
		.outcomes = outcomes,
		.n = n,
		.rows = calloc(rows + 1, sizeof *maker.rows),
	};
	int error = -ENOMEM;

	if (maker.rows) {
		choose_events(&maker);
		for (size_t i = 0; i < n; i++)
			for (size_t t = 0; t < outcomes[i].targets_count; t++)
				row_fill(&maker.rows[maker.rows_count++], &outcomes[i],
					 &outcomes[i].targets[t]);
		error = is_empty(outcomes, n) ? 0 : put(&maker, form, colour, to);
		if (form != TABLE_CSV)
			put_answers(outcomes, n, form, to);
	}
	free(maker.rows);
	return error;
}
