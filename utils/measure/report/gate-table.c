/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "gate-table.h"
#include "colours.h"
#include "letters.h"
#include "number.h"
#include "row.h"
#include "sentences.h"
#include "subject.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the functions that raise no alarm, up to ROWS_MOST have a row. If more have passed, only those
 * have one that are shown to have changed by more than the gate. The log of a job is read for what
 * is wrong, and a name in a line is enough of the rest. */
#define ROWS_MOST 4

/* Rows */

/* How far the ratio is from 1, either way. Below 0: not known. */
static double size_of_change(const struct gate_row *row)
{
	return row->verdict && row->verdict->ratio > 0 ? fabs(log(row->verdict->ratio)) : -1;
}

static int by_weight(const void *a, const void *b)
{
	const struct gate_row *const x = a, *const y = b;
	const double change_x = size_of_change(x), change_y = size_of_change(y);

	if (x->answer != y->answer)
		return x->answer < y->answer ? -1 : 1;
	if (change_x < change_y || change_x > change_y)
		return change_x > change_y ? -1 : 1;
	return (x->target > y->target) - (x->target < y->target);
}

/* Those that are shown first. */
static int by_place(const void *a, const void *b)
{
	const struct gate_row *const x = a, *const y = b;

	if (x->shown != y->shown)
		return x->shown ? -1 : 1;
	return x->shown ? by_weight(a, b) : (x->target > y->target) - (x->target < y->target);
}

static struct gate_row row_of(const struct outcome *outcome, size_t t)
{
	const struct target *const target = &outcome->targets[t];
	const struct outcome_function *const function = outcome_function_of(outcome, target);
	const bool compared = function && function->measured.compared;

	return (struct gate_row){
		.outcome = outcome,
		.target = target,
		.answer = gate_of_target(outcome, t),
		.verdict = compared ? &function->measured.verdict : NULL,
	};
}

struct gate_row *gate_rows(const struct outcome outcomes[], size_t n, size_t *count)
{
	struct gate_row *rows;
	size_t most = 1;

	for (size_t i = 0; i < n; i++)
		most += outcomes[i].targets_count;
	rows = calloc(most, sizeof *rows);
	*count = 0;
	for (size_t i = 0; rows && i < n; i++)
		for (size_t t = 0; t < outcomes[i].targets_count; t++)
			if (t > 0 ||
			    (!outcomes[i].pair && outcomes[i].targets[t].state != TARGET_MEASURED))
				rows[(*count)++] = row_of(&outcomes[i], t);
	if (rows)
		qsort(rows, *count, sizeof *rows, by_weight);
	return rows;
}

/* Texts */

const char *gate_name(const struct gate_row *row, char room[TABLE_CELL])
{
	const char *const name = row->outcome->pair ? row->target->function : row->target->shown;

	if (!row->target->sized)
		return name;
	snprintf(room, TABLE_CELL, "%.*s (size %zu)", letters_within(name, 180), name,
		 row->target->size);
	return room;
}

const char *gate_figure(const struct gate_row *row, bool before, bool cycles, char room[TABLE_CELL])
{
	const struct figures_function function =
		row_figures(row->outcome, before ? row->outcome->targets : row->target);
	struct figures_value figure;

	if (function.reason)
		return FIGURES_UNKNOWN;
	figure = (cycles ? figures_cycles : figures_ns)(&function);
	return (cycles ? figures_number : figures_time)(figure.value, figure.half, room);
}

static bool has_interval(const struct gate_row *row)
{
	return row->verdict && isfinite(row->verdict->high);
}

/* A change in percent with its sign; 0 has none. Two decimals are shown at most, because more say
 * nothing about a gate, and fewer of a wide interval. */
static void add_percent(char text[TABLE_CELL], double ratio, double half)
{
	const struct number number = number_decimals(half < 0.0035 ? 2 :
						     half < 0.035  ? 1 :
								     0,
						     (ratio - 1) * 100);
	const bool positive = *number.text != '-' && strpbrk(number.text, "123456789");

	letters_add(text, TABLE_CELL, "%s%s", positive ? "+" : "", number.text);
}

const char *gate_change(const struct gate_row *row, char room[TABLE_CELL])
{
	const struct verdict *const v = row->verdict;
	double half;

	if (!has_interval(row))
		return FIGURES_UNKNOWN;
	half = (v->high - v->low) / 2;
	room[0] = 0;
	add_percent(room, v->ratio, half);
	letters_add(room, TABLE_CELL, " %% (");
	add_percent(room, v->low, half);
	letters_add(room, TABLE_CELL, " to ");
	add_percent(room, v->high, half);
	letters_add(room, TABLE_CELL, ")");
	return room;
}

/* The reason of the function that has failed, or of its namesake in the old file. */
static const char *reason_of(const struct gate_row *row)
{
	const struct target *const old = row->outcome->targets;
	const bool of_old = row->target->state == TARGET_MEASURED;

	return (of_old ? old : row->target)->reason.what;
}

const char *gate_verdict(const struct gate_row *row, char room[TABLE_CELL])
{
	char number[FIGURES_NUMBER];

	switch (row->answer) {
	case GATE_ALARM:
		return "alarm";
	case GATE_FAILED:
		snprintf(room, TABLE_CELL, "failed%s: %.*s",
			 row->target->state == TARGET_MEASURED ? " in the old file" : "",
			 letters_within(reason_of(row), 190), reason_of(row));
		return room;
	case GATE_LONGER:
		snprintf(room, TABLE_CELL, "cannot tell: %s +%s",
			 subject_words(row->outcome)->longer,
			 figures_percent(outcome_function_of(row->outcome, row->target)
							 ->measured.mean_verdict.ratio -
						 1,
					 number));
		return room;
	case GATE_PASSED:
		return "passed";
	default:
		if (!outcome_function_of(row->outcome, row->target))
			return "not measured";
		if (has_interval(row) || !row->verdict)
			return "cannot tell";
		snprintf(room, TABLE_CELL, "cannot tell: too few %s",
			 subject_words(row->outcome)->many);
		return room;
	}
}

static bool has_cycles(const struct outcome *outcome, const struct target *target)
{
	const struct outcome_function *const function = outcome_function_of(outcome, target);

	return (!outcome_has_runs(outcome) || outcome->cycles) &&
	       (!function || measured_has_cycles(&function->measured.result));
}

bool gate_has_cycles(const struct gate_row rows[], size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!has_cycles(rows[i].outcome, rows[i].outcome->targets) ||
		    !has_cycles(rows[i].outcome, rows[i].target))
			return false;
	return true;
}

/* The table */

struct shown {
	struct gate_row *rows;          /* those that are shown come first */
	size_t count;                   /* of these */
	size_t some[GATE_LEFT_OUT + 1]; /* of these, by their answers */
	bool cycles;
	enum table_form form;
};

/* A longer name, as mangled ones of C++ are, would move the figures out of sight. */
#define NAME_MOST 60

static const char *cell(const void *of, size_t row, size_t column, char room[TABLE_CELL])
{
	const struct shown *const shown = of;
	const struct gate_row *const r = &shown->rows[row];
	char name[TABLE_CELL];

	switch (column) {
	case 0:
		return shown->form == TABLE_TEXT ?
			       letters_cut_middle(room, TABLE_CELL, gate_name(r, name), NAME_MOST) :
			       gate_name(r, room);
	case 1:
	case 2:
		return gate_figure(r, column == 1, shown->cycles, room);
	case 3:
		return gate_change(r, room);
	default:
		return gate_verdict(r, room);
	}
}

static const char *colour_of(const void *of, size_t row)
{
	const struct gate_row *const r = &((const struct shown *)of)->rows[row];

	if (r->answer == GATE_ALARM || r->answer == GATE_FAILED)
		return RED;
	return r->answer == GATE_PASSED && r->verdict->kind == VERDICT_FASTER ? GREEN : "";
}

static void put_table(const struct shown *shown, bool colour, FILE *to)
{
	const struct table_column columns[] = {
		{ subject_words(shown->rows->outcome)->one, false },
		{ shown->cycles ? "old cycles" : "old", true },
		{ shown->cycles ? "new cycles" : "new", true },
		{ "change (interval)", false },
		{ "verdict", false },
	};
	const struct table table = {
		.columns = columns,
		.columns_count = sizeof columns / sizeof columns[0],
		.rows = shown->count,
		.cell = cell,
		.of = shown,
	};

	table_print_coloured(&table, shown->form, colour ? colour_of : NULL, to);
}

/* Whether a function deserves a row. earlier: how many of its answer have one. all: how many have
 * its answer. */
static bool is_shown(const struct gate_row *row, size_t earlier, size_t all)
{
	switch (row->answer) {
	case GATE_ALARM:
	case GATE_FAILED:
	case GATE_LONGER:
		return true;
	case GATE_CANNOT_TELL:
		return earlier < ROWS_MOST && outcome_function_of(row->outcome, row->target);
	case GATE_PASSED:
		return earlier < ROWS_MOST &&
		       (all <= ROWS_MOST ||
			(row->verdict->kind != VERDICT_SAME && !row->verdict->inside));
	default:
		return false;
	}
}

/* Those that have no row, in a line for each kind: an answer of the gate, or one of these. */
enum {
	KIND_NOT_MEASURED = GATE_LEFT_OUT + 1,
	KIND_UNKNOWN, /* its type; it may have a row, too */
	KIND_APART,   /* its row and its figures */
	KINDS
};

static size_t kind_of(const struct gate_row *row)
{
	if (row->answer == GATE_CANNOT_TELL && !outcome_function_of(row->outcome, row->target))
		return KIND_NOT_MEASURED;
	return row->answer;
}

static void put_line(const char *sentence, enum table_form form, FILE *to)
{
	fputs(form == TABLE_MARKDOWN ? "- " : "", to);
	table_put(sentence, form, to);
	putc('\n', to);
}

static void put_kinds(const struct sentence_names kinds[KINDS], bool some_shown, bool runs,
		      enum table_form form, FILE *to)
{
	const struct {
		size_t kind;
		const char *called;
	} lines[] = {
		{ GATE_CANNOT_TELL, "Cannot tell of others" },
		{ KIND_NOT_MEASURED, "Not measured before the run ended" },
		{ GATE_PASSED, some_shown ? "Passed, too" : "Passed" },
		{ GATE_UNCHANGED, "Unchanged" },
		{ GATE_PARAMETERS, SENTENCE_PARAMETERS },
		{ GATE_UNSURE, SENTENCE_UNSURE },
		{ GATE_LEFT_OUT, SENTENCE_LEFT_OUT },
		{ KIND_UNKNOWN, "Type unknown, called without parameters" },
		{ KIND_APART, runs ? "Old and new are of all runs, the change is of runs next to "
				     "each other" :
				     "Old and new are of all calls, the change is of calls next "
				     "to each other" },
	};

	for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
		const struct sentence_names *const names = &kinds[lines[i].kind];
		char sentence[SENTENCE_TEXT] = "";

		if (names->all == 0)
			continue;
		sentence_names_say(names, lines[i].called, sentence);
		put_line(sentence, form, to);
	}
}

/* What the verdict says nothing about, if the function has parameters. */
static bool is_unknown(const struct gate_row *row)
{
	const struct signature *const s = &row->target->signature;

	return row->verdict && s->asked && !s->known;
}

/* Whether the change is not that from the old figure to the new one. */
static bool is_apart(const struct gate_row *row)
{
	const struct figures_function before = row_figures(row->outcome, row->outcome->targets);
	const struct figures_function after = row_figures(row->outcome, row->target);

	return row->shown && row->verdict && !before.reason && !figures_agree(&before, &after);
}

/* Choose the functions that have a row. They come first; the others are in the order of their
 * names, as the targets are. */
static void choose(struct shown *shown, size_t count)
{
	size_t all[GATE_LEFT_OUT + 1] = { 0 };

	for (size_t i = 0; i < count; i++)
		all[shown->rows[i].answer]++;
	for (size_t i = 0; i < count; i++) {
		struct gate_row *const row = &shown->rows[i];

		row->shown = is_shown(row, shown->some[row->answer], all[row->answer]);
		shown->some[row->answer] += row->shown;
		shown->count += row->shown;
	}
	qsort(shown->rows, count, sizeof *shown->rows, by_place);
}

/* The functions that have no row. */
static void put_others(const struct shown *shown, size_t count, FILE *to)
{
	struct sentence_names kinds[KINDS] = { { .all = 0 } };
	char room[TABLE_CELL];
	bool unsure = false;

	for (size_t i = 0; i < count; i++) {
		const struct gate_row *const row = &shown->rows[i];
		const char *const name = gate_name(row, room);

		/* Without an old one that works, more time is in vain. */
		unsure |= (row->answer == GATE_CANNOT_TELL || row->answer == GATE_LONGER) &&
			  (row->verdict || !outcome_function_of(row->outcome, row->target));
		if (!row->shown)
			sentence_names_add(&kinds[kind_of(row)], name);
		if (is_unknown(row))
			sentence_names_add(&kinds[KIND_UNKNOWN], name);
		if (is_apart(row))
			sentence_names_add(&kinds[KIND_APART], name);
	}
	put_kinds(kinds, shown->some[GATE_PASSED] > 0,
		  count > 0 && outcome_has_runs(shown->rows->outcome), shown->form, to);
	if (unsure)
		put_line("To tell: a longer run (-t), or a quieter machine; -v says how long.",
			 shown->form, to);
}

int gate_table(const struct outcome outcomes[], size_t n, enum table_form form, bool colour,
	       FILE *to)
{
	size_t count;
	struct shown shown = { .rows = gate_rows(outcomes, n, &count), .form = form };
	const char *const ending = sentence_ending(outcomes, n);
	char sentence[SENTENCE_TEXT];

	if (!shown.rows)
		return -ENOMEM;
	shown.cycles = gate_has_cycles(shown.rows, count);
	choose(&shown, count);
	if (shown.count > 0) {
		put_table(&shown, colour, to);
		putc('\n', to);
	}
	if (ending)
		put_line(ending, form, to);
	put_others(&shown, count, to);
	if (sentence_gate(outcomes, n, sentence))
		put_line(sentence, form, to);
	free(shown.rows);
	return 0;
}
