/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The table of figures: for people, and with more columns for programs.
 *
 * To add a column: a cell function and a row in for_people or for_programs, or both. A column of
 * for_programs without a cell function takes the field of figures_fields() that has its title. If
 * runs of programs have another title for it, title_of() says so. */

#include "config.h"

#include "figures.h"
#include "letters.h"
#include "number.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Digits of a cell for programs. */
#define DIGITS 10

/* The interquartile mean. A median is a multiple of the counter's step, so two functions may have
 * the same one and differ, or differ by a step and be the same. */
struct figures_value figures_units(const struct figures_function *f)
{
	const struct measured *const m = f->measured;
	const double mean = m->result.iqm;

	return (struct figures_value){ mean, judge_half(mean, m->mean_low, m->mean_high,
							f->resolution / m->result.iterations) };
}

static bool has_cycles(const struct figures_function *f)
{
	return measured_has_cycles(&f->measured->result);
}

struct figures_value figures_cycles(const struct figures_function *f)
{
	const struct cpucycles_result *const r = &f->measured->result;
	const double units = r->units_per_cycle > 0 ? r->units_per_cycle : 1;

	if (!has_cycles(f))
		return (struct figures_value){ NAN, 0 };
	return (struct figures_value){ r->cycles,
				       judge_half(r->cycles, r->cycles_low, r->cycles_high,
						  f->resolution / r->iterations / units) };
}

struct figures_value figures_ns(const struct figures_function *f)
{
	const struct figures_value units = figures_units(f);
	const double ns = units.value * f->ns_per_unit;

	return (struct figures_value){ ns,
				       judge_half_ns(units.half, ns, f->ns_per_unit, f->ns_error) };
}

bool figures_agree(const struct figures_function *first, const struct figures_function *f)
{
	struct figures_value (*const of)(const struct figures_function *) =
		has_cycles(first) && has_cycles(f) ? figures_cycles : figures_units;
	const struct figures_value a = of(first), b = of(f);
	const double ratio = f->measured->verdict.ratio;

	if (!isfinite(f->measured->verdict.high) || !(a.half > 0) || !(b.half > 0))
		return true;
	return ratio * (a.value + a.half) >= b.value - b.half &&
	       ratio * (a.value - a.half) <= b.value + b.half;
}

/* Cells for people. Cells of numbers belong to functions with figures only. */

static const char *cell_name(const struct figures_function *f, char text[TABLE_CELL])
{
	(void)text;
	return f->name;
}

/* A longer command would move the figures out of sight. */
#define COMMAND_MOST 60

static const char *cell_shown(const struct figures_function *f, char text[TABLE_CELL])
{
	return f->words ? letters_cut_middle(text, TABLE_CELL, f->name, COMMAND_MOST) : f->name;
}

static const char *cell_size(const struct figures_function *f, char text[TABLE_CELL])
{
	if (!figures_has_size(f))
		return "";
	snprintf(text, TABLE_CELL, "%zu", f->size);
	return text;
}

static const char *cell_time(const struct figures_function *f, char text[TABLE_CELL])
{
	const struct figures_value ns = figures_ns(f);

	return figures_time(ns.value, ns.half, text);
}

/* Also with functions that are linked anew, the quartiles come from the samples
 * of one process, the typical one. How far one layout is from the next stands in a column of its
 * own. */
static const char *cell_spread(const struct figures_function *f, char text[TABLE_CELL])
{
	const struct cpucycles_result *r = &f->measured->result;
	const double percent = (r->q3 - r->q1) / r->median * 100;

	if (!(r->median > 0) || r->samples < 2)
		return FIGURES_UNKNOWN;
	snprintf(text, TABLE_CELL, "%s %%", number_decimals(percent < 10 ? 1 : 0, percent).text);
	return text;
}

static bool has_layouts(const struct figures_function *f)
{
	return f->measured && f->measured->by_layout > 0 && isfinite(f->measured->by_layout);
}

static const char *cell_by_layout(const struct figures_function *f, char text[TABLE_CELL])
{
	return has_layouts(f) ? figures_percent(f->measured->by_layout, text) : FIGURES_UNKNOWN;
}

static const char *cell_calls(const struct figures_function *f, char text[TABLE_CELL])
{
	snprintf(text, TABLE_CELL, "%" PRIu64,
		 f->measured->result.samples * f->measured->result.iterations);
	return text;
}

static bool has_runs(const struct figures *figures)
{
	return figures->words;
}

static bool has_calls(const struct figures *figures)
{
	return !figures->words;
}

static const char *cell_other(const struct figures_function *f, char text[TABLE_CELL])
{
	return figures_time(f->measured->other_ns, 0, text);
}

static bool has_memory(const struct figures_function *f)
{
	return f->measured && f->measured->memory > 0;
}

static const char *cell_memory(const struct figures_function *f, char text[TABLE_CELL])
{
	char number[FIGURES_NUMBER];

	if (!has_memory(f))
		return FIGURES_UNKNOWN;
	snprintf(text, TABLE_CELL, "%s MB", figures_number(f->measured->memory * 1e-6, 0, number));
	return text;
}

static const char *per_byte(const struct figures_function *f, struct figures_value figure,
			    char text[TABLE_CELL])
{
	const double bytes = (double)f->bytes;

	return f->bytes ? figures_number(figure.value / bytes, figure.half / bytes, text) :
			  FIGURES_UNKNOWN;
}

static const char *cell_cycles_per_byte(const struct figures_function *f, char text[TABLE_CELL])
{
	return per_byte(f, figures_cycles(f), text);
}

static const char *cell_per_byte(const struct figures_function *f, char text[TABLE_CELL])
{
	return per_byte(f, figures_units(f), text);
}

/* Bytes per nanosecond are gigabytes per second. */
static const char *cell_rate(const struct figures_function *f, char text[TABLE_CELL])
{
	const struct figures_value units = figures_units(f);
	const double rate = (double)f->bytes / (units.value * f->ns_per_unit);

	if (!f->bytes || !(units.value > 0))
		return FIGURES_UNKNOWN;
	return figures_number(rate, rate * units.half / units.value, text);
}

/* Why a function has no figures, without its own name before that, which stands in the row, perhaps
 * without its file. */
static const char *reason_of(const struct figures_function *f)
{
	const char *const end = strstr(f->reason, ": ");
	const size_t length = strlen(f->name), whole = end ? (size_t)(end - f->reason) : 0;

	return whole >= length && !strncmp(f->name, end - length, length) ? end + 2 : f->reason;
}

const char *figures_note(const struct figures_function *f, enum figures_note note,
			 char text[TABLE_CELL])
{
	if (f->reason)
		return note == FIGURES_NOTE_REASON ? reason_of(f) : "";
	switch (note) {
	case FIGURES_NOTE_CALLS:
		if (f->measured->renewed)
			return "input made anew: one call a sample";
		if (f->measured->result.iterations < 2)
			return "";
		snprintf(text, TABLE_CELL, "in a loop of %u calls: throughput, not latency",
			 f->measured->result.iterations);
		return text;
	case FIGURES_NOTE_TYPE:
		return f->caution ? f->caution : "";
	case FIGURES_NOTE_CYCLES:
		if (!*figures_cycles_reason(f->measured->result.cycles_from))
			return "";
		snprintf(text, TABLE_CELL, "no cycles: %s",
			 figures_cycles_word(f->measured->result.cycles_from));
		return text;
	default:
		return "";
	}
}

static const char *join_notes(const struct figures_function *f, enum figures_note last,
			      char text[TABLE_CELL])
{
	text[0] = 0;
	for (int note = 0; note <= (int)last; note++) {
		char room[TABLE_CELL];
		const char *const one = figures_note(f, (enum figures_note)note, room);

		if (*one)
			letters_add(text, TABLE_CELL, "%s%s", *text ? "; " : "", one);
	}
	return text;
}

static const char *cell_note(const struct figures_function *f, char text[TABLE_CELL])
{
	return f->reason ? reason_of(f) : join_notes(f, FIGURES_NOTE_TYPE, text);
}

/* With the reason why there are no core cycles. */
static const char *cell_full_note(const struct figures_function *f, char text[TABLE_CELL])
{
	return f->reason ? reason_of(f) : join_notes(f, FIGURES_NOTE_CYCLES, text);
}

/* Cells for programs */

static double low_of(const struct verdict *verdict)
{
	return isfinite(verdict->high) ? verdict->low : NAN;
}

void figures_fields(const struct figures_function *f, struct figures_field fields[FIGURES_FIELDS])
{
	const struct measured *const m = f->measured;
	const struct cpucycles_result *const r = &m->result;
	const struct verdict *const v = &m->verdict, *const mean = &m->mean_verdict;
	const double layouts = f->linked ? (double)f->layouts : NAN;
	const bool runs = f->words, wall = runs && f->words->wall;
	const double one = has_cycles(f) ? 1 : NAN;
	double ghz[2];
	const double hertz = figures_frequency(m, f->ns_per_unit, ghz) ? 1e9 : NAN;
	const struct figures_field all[FIGURES_FIELDS] = {
		{ "iterations", NULL, r->iterations, FIGURES_FUNCTION },
		{ NULL, "minimum_units", r->min, FIGURES_FUNCTION },
		{ "quartile1", "quartile1_units", r->q1, FIGURES_FUNCTION },
		{ "median", "median_units", r->median, FIGURES_FUNCTION },
		{ NULL, "median_low_units", r->low, FIGURES_FUNCTION },
		{ NULL, "median_high_units", r->high, FIGURES_FUNCTION },
		{ "quartile3", "quartile3_units", r->q3, FIGURES_FUNCTION },
		{ "mean", "interquartile_mean_units", r->iqm, FIGURES_FUNCTION },
		{ "mean_low", "interquartile_mean_low_units", m->mean_low, FIGURES_FUNCTION },
		{ "mean_high", "interquartile_mean_high_units", m->mean_high, FIGURES_FUNCTION },
		{ "mean_ns", "interquartile_mean_ns", r->iqm * f->ns_per_unit, FIGURES_FUNCTION },
		{ NULL, "median_ns", r->median * f->ns_per_unit, FIGURES_FUNCTION },
		{ NULL, "by_layout_part", m->by_layout, FIGURES_FUNCTION },
		{ "core_cycles", "core_cycles", r->cycles * one, FIGURES_FUNCTION },
		{ "core_cycles_low", "core_cycles_low", r->cycles_low * one, FIGURES_FUNCTION },
		{ "core_cycles_high", "core_cycles_high", r->cycles_high * one, FIGURES_FUNCTION },
		{ NULL, "core_hz_low", ghz[0] * hertz, FIGURES_FUNCTION },
		{ NULL, "core_hz_high", ghz[1] * hertz, FIGURES_FUNCTION },
		{ "ratio", "ratio", v->ratio, FIGURES_VERDICT },
		{ "ratio_low", "ratio_low", low_of(v), FIGURES_VERDICT },
		{ "ratio_high", "ratio_high", v->high, FIGURES_VERDICT },
		{ runs ? "other_ratio" : "trimmed_mean_ratio",
		  runs ? "other_ratio" : "trimmed_mean_ratio", mean->ratio, FIGURES_VERDICT },
		{ NULL, runs ? "other_ratio_low" : "trimmed_mean_ratio_low", low_of(mean),
		  FIGURES_VERDICT },
		{ NULL, runs ? "other_ratio_high" : "trimmed_mean_ratio_high", mean->high,
		  FIGURES_VERDICT },
		{ "within", "within", v->within > 0 ? v->within : NAN, FIGURES_VERDICT },
		{ "units", "units", (double)m->replicates, FIGURES_COUNT },
		/* Before there is a replicate, JSON has null, and CSV has 0. */
		{ "layouts", NULL, layouts, FIGURES_VERDICT },
		{ NULL, "layouts", layouts > 0 ? layouts : NAN, FIGURES_COUNT },
		{ "placement_part", "placement_part", f->linked ? m->placement : NAN,
		  FIGURES_VERDICT },
		{ runs ? "cpu_ns" : NULL, runs ? "cpu_ns" : NULL,
		  wall ? m->other_ns : r->iqm * f->ns_per_unit, FIGURES_FUNCTION },
		{ runs ? "wall_ns" : NULL, runs ? "wall_ns" : NULL,
		  wall ? r->iqm * f->ns_per_unit : m->other_ns, FIGURES_FUNCTION },
		{ runs ? "memory_bytes" : NULL, runs ? "memory_bytes" : NULL,
		  m->memory > 0 ? m->memory : NAN, FIGURES_FUNCTION },
	};

	memcpy(fields, all, sizeof all);
}

static const char *plain(double value, char text[TABLE_CELL])
{
	if (!isfinite(value))
		return "";
	snprintf(text, TABLE_CELL, "%s", number_digits(DIGITS, value).text);
	return text;
}

/* The number that has this name in CSV. */
static const char *plain_field(const struct figures_function *f, const char *name,
			       char text[TABLE_CELL])
{
	struct figures_field fields[FIGURES_FIELDS];
	size_t i = 0;

	figures_fields(f, fields);
	while (!fields[i].csv || strcmp(fields[i].csv, name))
		i++;
	if (fields[i].kind != FIGURES_FUNCTION && !f->measured->compared)
		return "";
	return plain(fields[i].value, text);
}

static const char *plain_bytes(const struct figures_function *f, char text[TABLE_CELL])
{
	return plain(f->bytes ? (double)f->bytes : NAN, text);
}

static const char *plain_verdict(const struct figures_function *f, char text[TABLE_CELL])
{
	(void)text;
	return f->measured->compared ? verdict_word(f->measured->verdict.kind) : "";
}

/* Their names, with blanks between them. */
static const char *plain_warnings(const struct figures_function *f, char text[TABLE_CELL])
{
	const struct judge_warnings *const warnings = &f->measured->warnings;
	size_t length = 0;

	text[0] = 0;
	for (size_t i = 0; i < warnings->n; i++)
		length += (size_t)snprintf(text + length, TABLE_CELL - length, "%s%s", i ? " " : "",
					   warnings->list[i].name);
	return text;
}

/* Columns */

static bool has_bytes(const struct figures_function *f)
{
	return f->bytes > 0;
}

static bool has_note(const struct figures_function *f)
{
	char text[TABLE_CELL];

	return *cell_note(f, text);
}

static bool has_full_note(const struct figures_function *f)
{
	char text[TABLE_CELL];

	return *cell_full_note(f, text);
}

static bool has_units(const struct figures *figures)
{
	return !figures_has_cycles(figures);
}

/* A time is there in any case, so that nanoseconds need no other column. */
static bool has_other_units(const struct figures *figures)
{
	return has_units(figures) && strcmp(figures->unit, "ns") != 0;
}

/* Whether another column has the interval. */
static bool has_other_figure(const struct figures *figures)
{
	return figures_has_cycles(figures) || has_other_units(figures);
}

static bool has_time_alone(const struct figures *figures)
{
	return !has_other_figure(figures);
}

/* The line before the table gives a reason that all functions share. */
static bool has_shared_reason(const struct figures *figures)
{
	return figures_no_cycles(figures) != CPUCYCLES_CYCLES_NONE;
}

static bool has_own_reasons(const struct figures *figures)
{
	return !has_shared_reason(figures);
}

struct column {
	const char *title; /* the unit comes before one that begins with a slash */
	bool left;
	bool always;                                  /* also without figures */
	bool (*in)(const struct figures *figures);    /* NULL: belongs to any table */
	bool (*has)(const struct figures_function *); /* NULL: is shown in any case */
	/* NULL: the figure, or the field of this title; of "unit", the unit. */
	const char *(*cell)(const struct figures_function *function, char text[TABLE_CELL]);
	/* A figure with its interval. */
	struct figures_value (*figure)(const struct figures_function *function);
	bool is_time; /* it is in nanoseconds, and shown in the unit of its size */
};

/* In the place of a title: here are the events. */
static const char events[] = "events";

static const struct column for_people[] = {
	{ "function", true, true, .cell = cell_shown },
	{ "size", false, true, .has = figures_has_size, .cell = cell_size },
	{ "cycles/call", .in = figures_has_cycles, .figure = figures_cycles },
	{ "/call", .in = has_other_units, .figure = figures_units },
	{ "time/call", .in = has_other_figure, .cell = cell_time },
	{ "time/call", .in = has_time_alone, .figure = figures_ns, .is_time = true },
	{ "spread", .cell = cell_spread },
	{ "by layout", .has = has_layouts, .cell = cell_by_layout },
	{ "other time", .in = has_runs, .cell = cell_other },
	{ "memory", .has = has_memory, .cell = cell_memory },
	{ "calls", .cell = cell_calls },
	{ "cycles/byte", .in = figures_has_cycles, .has = has_bytes, .cell = cell_cycles_per_byte },
	{ "/byte", .in = has_units, .has = has_bytes, .cell = cell_per_byte },
	{ "GB/s", .has = has_bytes, .cell = cell_rate },
	{ .title = events },
	{ "note", true, true, .in = has_shared_reason, .has = has_note, .cell = cell_note },
	{ "note", true, true, .in = has_own_reasons, .has = has_full_note, .cell = cell_full_note },
};

static const struct column for_programs[] = {
	{ "function", true, true, .cell = cell_name },
	{ "size", false, true, .cell = cell_size },
	{ "unit", true, true, .cell = NULL },
	{ .title = "mean" },
	{ .title = "mean_low" },
	{ .title = "mean_high" },
	{ .title = "quartile1" },
	{ .title = "median" },
	{ .title = "quartile3" },
	{ .title = "mean_ns" },
	{ "calls", .cell = cell_calls },
	{ .title = "iterations" },
	{ "bytes", false, true, .cell = plain_bytes },
	{ "verdict", true, .cell = plain_verdict },
	{ .title = "ratio" },
	{ .title = "ratio_low" },
	{ .title = "ratio_high" },
	{ .title = "trimmed_mean_ratio", .in = has_calls },
	{ .title = "other_ratio", .in = has_runs },
	{ .title = "within" },
	{ .title = "units" },
	{ .title = "layouts" },
	{ .title = "placement_part" },
	{ .title = "core_cycles" },
	{ .title = "core_cycles_low" },
	{ .title = "core_cycles_high" },
	{ .title = "cpu_ns", .in = has_runs },
	{ .title = "wall_ns", .in = has_runs },
	{ .title = "memory_bytes", .in = has_runs },
	{ "warnings", true, .cell = plain_warnings },
	{ .title = events },
	{ "note", true, true, .cell = cell_full_note },
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define COLUMNS_MOST COUNT(for_programs)

/* A column that is shown. */
struct shown {
	const struct column *column; /* NULL: of an event */
	const struct figures_event *event;
	char title[FIGURES_NUMBER]; /* with a unit */
	int half_width;             /* of the figures' intervals */
};

struct view {
	const struct figures *figures;
	enum table_form form;
	struct shown *shown;
	struct table_column *columns;
	size_t n; /* so far */
};

/* The figure of a column in its unit. */
static struct figures_value figure_in(const struct column *column, const struct figures_function *f,
				      const char **unit)
{
	struct figures_value figure = column->figure(f);
	struct figures_time_unit of_time = { "", 1 };

	if (column->is_time)
		of_time = figures_time_unit(figure.value);
	*unit = of_time.name;
	figure.value /= of_time.ns;
	figure.half /= of_time.ns;
	return figure;
}

static const char *cell_interval(const struct view *view, const struct shown *shown,
				 const struct figures_function *f, char text[TABLE_CELL])
{
	char number[FIGURES_INTERVAL];
	const char *unit;
	const struct figures_value figure = figure_in(shown->column, f, &unit);

	if (!isfinite(figure.value))
		return FIGURES_UNKNOWN;
	snprintf(text, TABLE_CELL, "%s%s%s",
		 figures_interval(figure, view->form, shown->half_width, number), *unit ? " " : "",
		 unit);
	return text;
}

static const char *cell_of(const void *of, size_t row, size_t i, char text[TABLE_CELL])
{
	const struct view *const view = of;
	const struct figures_function *const f = &view->figures->functions[row];
	const struct column *const column = view->shown[i].column;

	if (f->reason && !(column && column->always))
		return view->form == TABLE_CSV ? "" : FIGURES_UNKNOWN;
	if (column && column->cell)
		return column->cell(f, text);
	if (column && column->figure)
		return cell_interval(view, &view->shown[i], f, text);
	if (column)
		return column->always ? view->figures->unit : plain_field(f, column->title, text);
	/* The mean of an event has no interval. */
	return view->form == TABLE_CSV ?
		       plain(f->events[view->shown[i].event->number], text) :
		       figures_number(f->events[view->shown[i].event->number], 0, text);
}

static void add_events(struct view *view)
{
	for (size_t i = 0; i < view->figures->events_count; i++) {
		const struct figures_event *const event = &view->figures->events[i];

		view->shown[view->n].event = event;
		view->columns[view->n++] = (struct table_column){ event->name, true };
	}
}

/* In Markdown, no text is aligned. */
static int half_width_of(const struct view *view, const struct column *column)
{
	int widest = 0;

	if (!column->figure || view->form == TABLE_MARKDOWN)
		return 0;
	for (size_t i = 0; i < view->figures->count; i++) {
		const struct figures_function *const f = &view->figures->functions[i];
		const char *unit;
		const int width = f->reason ? 0 : figures_half_width(figure_in(column, f, &unit));

		widest = width > widest ? width : widest;
	}
	return widest;
}

/* With the words for runs, if these are some. For programs, all titles stay. */
static const char *title_of(const struct view *view, const struct column *column)
{
	const struct figures_words *const words = view->figures->words;

	if (!words || view->form == TABLE_CSV)
		return column->title;
	return column->cell == cell_shown                   ? words->one :
	       column->cell == cell_other                   ? words->other :
	       column->cell == cell_calls                   ? "runs" :
	       column->figure == figures_cycles             ? "cycles/run" :
	       column->is_time || column->cell == cell_time ? words->time :
							      column->title;
}

static void add_column(struct view *view, const struct column *column)
{
	struct shown *const shown = &view->shown[view->n];

	shown->column = column;
	shown->half_width = half_width_of(view, column);
	snprintf(shown->title, sizeof shown->title, "%s%s",
		 *column->title == '/' ? view->figures->unit : "", title_of(view, column));
	view->columns[view->n++] = (struct table_column){ shown->title, !column->left };
}

static bool is_shown(const struct figures *figures, const struct column *column)
{
	bool shown = !column->has;

	if (column->in && !column->in(figures))
		return false;
	for (size_t i = 0; i < figures->count && !shown; i++)
		shown = column->has(&figures->functions[i]);
	return shown;
}

static void add_columns(struct view *view, const struct column columns[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!is_shown(view->figures, &columns[i]))
			continue;
		if (columns[i].title == events)
			add_events(view);
		else
			add_column(view, &columns[i]);
	}
}

void figures_table(const struct figures *figures, enum table_form form, FILE *to)
{
	struct shown shown[COLUMNS_MOST + figures->events_count];
	struct table_column columns[COLUMNS_MOST + figures->events_count];
	struct view view = { figures, form, shown, columns, 0 };

	memset(shown, 0, sizeof shown);
	if (form == TABLE_CSV)
		add_columns(&view, for_programs, COUNT(for_programs));
	else
		add_columns(&view, for_people, COUNT(for_people));
	table_print(&(struct table){ columns, view.n, figures->count, cell_of, &view }, form, to);
}
