/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "sizes-table.h"

#include <math.h>
#include <string.h>

/* What all figures of the table are. */
struct unit {
	struct figures_value (*figure)(const struct figures_function *function);
	const char *name;
	double parts; /* so many of the figure's own unit are one of these */
	bool per_byte;
};

struct view {
	const struct figures *figures;
	enum table_form form;
	struct unit unit;
	const int *half_widths; /* of each function */
};

/* Bytes are known of all sizes but 0. */
static bool has_bytes(const struct figures *figures)
{
	for (size_t i = 0; i < figures->count; i++)
		if (!figures->functions[i].bytes)
			return false;
	return true;
}

/* The shortest time of a call. Infinite: none is known. */
static double least_ns(const struct figures *figures)
{
	double least = INFINITY;

	for (size_t i = 0; i < figures->count; i++)
		if (!figures->functions[i].reason)
			least = fmin(least, figures_ns(&figures->functions[i]).value);
	return least;
}

/* Core cycles, else a time in the unit of the shortest one, else units of the counter. */
static struct unit unit_of(const struct figures *figures)
{
	const double ns = least_ns(figures);

	if (figures_has_cycles(figures))
		return (struct unit){ figures_cycles, "core cycles", 1, has_bytes(figures) };
	if (isfinite(ns)) {
		const struct figures_time_unit time = figures_time_unit(ns);

		return (struct unit){ figures_ns, time.name, time.ns, false };
	}
	return (struct unit){ figures_units, figures->unit, 1, has_bytes(figures) };
}

static struct figures_value value_of(const struct unit *unit, const struct figures_function *f)
{
	const double parts = unit->parts * (unit->per_byte ? (double)f->bytes : 1);
	struct figures_value value = { NAN, 0 };

	if (!f->reason)
		value = unit->figure(f);
	value.value /= parts;
	value.half /= parts;
	return value;
}

static const char *cell_of(const void *of, size_t row, size_t column, char text[TABLE_CELL])
{
	const struct view *const view = of;
	const struct figures_function *const f =
		&view->figures->functions[row * view->figures->each];

	if (column > 0)
		return figures_interval(value_of(&view->unit, &f[column - 1]), view->form,
					view->half_widths[column - 1], text);
	snprintf(text, TABLE_CELL, "%zu", f->size);
	return text;
}

static void put_table(struct view *view, FILE *to)
{
	const struct figures *const figures = view->figures;
	struct table_column columns[figures->each + 1];
	int half_widths[figures->each];

	columns[0] = (struct table_column){ "size", true };
	for (size_t c = 0; c < figures->each; c++) {
		columns[c + 1] = (struct table_column){ figures->functions[c].name, true };
		half_widths[c] = 0;
	}
	for (size_t i = 0; i < figures->count && view->form == TABLE_TEXT; i++) {
		int *const widest = &half_widths[i % figures->each];
		const int width = figures_half_width(value_of(&view->unit, &figures->functions[i]));

		*widest = width > *widest ? width : *widest;
	}
	view->half_widths = half_widths;
	table_print(&(struct table){ columns, figures->each + 1, figures->count / figures->each,
				     cell_of, view },
		    view->form, to);
}

/* Whether a row has a note that was said, or the note that is being said. */
enum mark { MARK_NONE, MARK_SAID, MARK_THIS };

/* The sizes of one function that have the mark, as "sizes 16 to 64, 1024". All of them: nothing. */
static void put_sizes(const struct figures *figures, size_t column, const unsigned char marks[],
		      FILE *to)
{
	const size_t rows = figures->count / figures->each;
	const unsigned char *const own = &marks[column];
	const char *before = " (size";
	size_t some = 0;

	for (size_t row = 0; row < rows; row++)
		some += own[row * figures->each] == MARK_THIS;
	if (some == rows)
		return;
	for (size_t row = 0; row < rows; row++) {
		size_t end = row;

		if (own[row * figures->each] != MARK_THIS)
			continue;
		while (end + 1 < rows && own[(end + 1) * figures->each] == MARK_THIS)
			end++;
		fprintf(to, "%s%s %zu", before, *before == ' ' && some > 1 ? "s" : "",
			figures->functions[row * figures->each].size);
		if (end > row)
			fprintf(to, " to %zu", figures->functions[end * figures->each].size);
		before = ",";
		row = end;
	}
	putc(')', to);
}

static void put_note(const struct view *view, const char *text, const unsigned char marks[],
		     FILE *to)
{
	const struct figures *const figures = view->figures;
	const char *before = view->form == TABLE_MARKDOWN ? "- note: " : "note: ";

	for (size_t c = 0; c < figures->each; c++) {
		size_t i = c;

		while (i < figures->count && marks[i] != MARK_THIS)
			i += figures->each;
		if (i >= figures->count)
			continue;
		fputs(before, to);
		table_put(figures->functions[c].name, view->form, to);
		put_sizes(figures, c, marks, to);
		before = ", ";
	}
	fputs(": ", to);
	table_put(text, view->form, to);
	putc('\n', to);
}

/* The sizes have loops of different lengths, which are one note. */
static const char *note_of(const struct figures_function *f, enum figures_note note,
			   char text[TABLE_CELL])
{
	if (note == FIGURES_NOTE_CALLS && !f->reason && !f->measured->renewed &&
	    f->measured->result.iterations > 1)
		return "in a loop of several calls: throughput, not latency";
	return figures_note(f, note, text);
}

/* A line for each text of this kind. */
static void put_notes(const struct view *view, enum figures_note note, bool *any, FILE *to)
{
	const struct figures *const figures = view->figures;
	unsigned char marks[figures->count];

	memset(marks, MARK_NONE, figures->count);
	for (size_t i = 0; i < figures->count; i++) {
		char room[TABLE_CELL], other[TABLE_CELL];
		const char *const text = note_of(&figures->functions[i], note, room);

		if (!*text || marks[i] == MARK_SAID)
			continue;
		for (size_t j = i; j < figures->count; j++)
			if (!strcmp(note_of(&figures->functions[j], note, other), text))
				marks[j] = MARK_THIS;
		fputs(*any ? "" : "\n", to);
		*any = true;
		put_note(view, text, marks, to);
		for (size_t j = i; j < figures->count; j++)
			if (marks[j] == MARK_THIS)
				marks[j] = MARK_SAID;
	}
}

void sizes_table(const struct figures *figures, enum table_form form, FILE *to)
{
	struct view view = { .figures = figures, .form = form, .unit = unit_of(figures) };
	bool any = false;

	fprintf(to, "In %s per %s:\n\n", view.unit.name, view.unit.per_byte ? "byte" : "call");
	put_table(&view, to);
	for (int note = 0; note < FIGURES_NOTES; note++)
		if (note != FIGURES_NOTE_CYCLES || figures_has_cycles(figures))
			put_notes(&view, (enum figures_note)note, &any, to);
}
