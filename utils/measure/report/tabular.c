/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "tabular.h"
#include "sentences.h"
#include "result/settle.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* The cycles of the core, which were counted with the events. */
static const char cycles_name[] = "cpu-cycles";

/* What a row needs besides the outcome. */
struct row {
	struct figures_verdict verdict;
	char base[OUTCOME_ADVICE], advice[OUTCOME_ADVICE];
	double events[OUTCOME_CYCLES + 1];
};

struct maker {
	const struct outcome *outcomes;
	size_t n, rows_count;
	struct row *rows;
	struct figures_function *functions;
	/* The events that have a column: their numbers, and their names. */
	size_t events[OUTCOME_CYCLES + 1];
	const char *names[OUTCOME_CYCLES + 1];
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
	maker->events[maker->events_count] = number;
	maker->names[maker->events_count++] = name;
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

static void fill_row(struct maker *maker, size_t group, const struct target *target)
{
	const struct outcome *const outcome = &maker->outcomes[group];
	const struct outcome_function *function = outcome_function_of(outcome, target);
	struct figures_function *to = &maker->functions[maker->rows_count];
	struct row *row = &maker->rows[maker->rows_count++];

	*to = (struct figures_function){ .name = target->label,
					 .group = group,
					 .sized = target->sized,
					 .size = outcome->size,
					 .bytes = target->bytes };
	/* One that failed has its reason. The others were not measured if one of them did, and
	 * Ctrl-C or an error came then. */
	if (!function) {
		to->reason =
			target->state == TARGET_MEASURED ? "not measured" : target->reason.what;
		return;
	}
	for (size_t i = 0; i < maker->events_count; i++)
		row->events[i] = function->events[maker->events[i]];
	to->events = row->events;
	to->result = &function->result;
	to->low = function->mean_low;
	to->high = function->mean_high;
	to->step = judge_is_on_one_step(&function->result) ? outcome->info.step : 0;
	to->ns_per_unit = outcome_ns_per_unit(outcome, &to->ns_error);
	to->by_layout = isfinite(function->by_layout) ? function->by_layout : 0;
	to->renewed = function->renewed;
	to->warnings = &function->warnings;
	to->runs = outcome->processes;
	if (!function->compared)
		return;
	outcome_verdict(outcome, (size_t)(function - outcome->functions), &row->verdict, row->base,
			row->advice);
	to->verdict = &row->verdict;
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
		.functions = maker->functions,
		.count = maker->rows_count,
		.events = maker->names,
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
		.functions = calloc(rows + 1, sizeof *maker.functions),
	};
	int error = -ENOMEM;

	if (maker.rows && maker.functions) {
		choose_events(&maker);
		for (size_t i = 0; i < n; i++)
			for (size_t t = 0; t < outcomes[i].targets_count; t++)
				fill_row(&maker, i, &outcomes[i].targets[t]);
		error = is_empty(outcomes, n) ? 0 : put(&maker, form, colour, to);
		if (form != TABLE_CSV)
			put_answers(outcomes, n, form, to);
	}
	free(maker.rows);
	free(maker.functions);
	return error;
}
