/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "figures.h"
#include "letters.h"
#include "number.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Room for a cell that is made here, and digits of a cell for programs. */
#define CELL 224
#define DIGITS 10

/* Of a figure whose interval is unknown, and of any figure. */
#define DIGITS_DEFAULT 4
#define DIGITS_MOST 7
#define DECIMALS_MOST 12

/* Half of an interval, as a part of a figure, with which the figure is shown with two digits, or
 * with three if the first is a 1. */
#define TWO_DIGITS 0.35

/* A ratio nearer to 1 than these is told in percent. */
#define RATIO_LOW 0.5
#define RATIO_HIGH 2

/* A larger number is no measured one, and has no room. */
#define NUMBER_MOST 1e18

/* What is not known: for people, and for programs. */
#define UNKNOWN "-"

#define GREEN "\033[32m"
#define RED "\033[31m"
#define YELLOW "\033[33m"
#define NO_COLOUR "\033[m"

/* Numbers */

/* The place of the first digit: 2 for hundreds, -1 for tenths. */
static int magnitude(double value)
{
	return value != 0 ? (int)floor(log10(fabs(value))) : 0;
}

/* Below 0: so many digits before the point are no longer certain. Half an interval of 0.35 to 3.5
 * is shown without decimals, as 1 to 3, or with one decimal, as 0.4 to 0.9. */
static int decimals_of(double value, double half)
{
	const int first = magnitude(value);
	int decimals = value != 0 ? DIGITS_DEFAULT - 1 - first : 0;

	if (half > 0 && isfinite(half))
		decimals = (int)ceil(log10(3.5 / half));
	if (decimals < -first)
		decimals = -first;
	if (decimals > DIGITS_MOST - 1 - first)
		decimals = DIGITS_MOST - 1 - first;
	return decimals < DECIMALS_MOST ? decimals : DECIMALS_MOST;
}

const char *figures_number(double value, double half, char text[FIGURES_NUMBER])
{
	int decimals;
	double unit;

	if (!(fabs(value) < NUMBER_MOST))
		return UNKNOWN;
	decimals = decimals_of(value, half);
	unit = decimals < 0 ? pow(10, -decimals) : 1;
	value = unit > 1 ? round(value / unit) * unit : value;
	snprintf(text, FIGURES_NUMBER, "%.39s",
		 number_decimals(decimals > 0 ? decimals : 0, value).text);
	return text;
}

const char *figures_time(double ns, double half, char text[FIGURES_NUMBER])
{
	static const char *const names[] = { "ns", "us", "ms", "s" };
	char number[FIGURES_NUMBER];
	size_t i = 0;

	if (!isfinite(ns))
		return UNKNOWN;
	for (; i < 3 && fabs(ns) >= 1000; i++) {
		ns /= 1000;
		half /= 1000;
	}
	snprintf(text, FIGURES_NUMBER, "%.30s %s", figures_number(ns, half, number), names[i]);
	return text;
}

/* What is shown of a function: the interquartile mean. A median is a multiple of the counter's
 * step, so two functions may have the same one and differ, or differ by a step and be the same. */
static double figure_of(const struct figures_function *f)
{
	return f->result->iqm;
}

/* Half of its interval. 0: not known. */
static double half_of(const struct figures_function *f)
{
	if (!isfinite(f->low) || !isfinite(f->high))
		return 0;
	return fmax(f->high - f->low, f->step / f->result->batch) / 2;
}

/* Cells for people. Those of numbers belong to functions with figures only. */

static const char *cell_name(const struct figures_function *f, char text[CELL])
{
	(void)text;
	return f->name;
}

static bool has_size(const struct figures_function *f)
{
	return f->sized || f->size > 0;
}

static const char *cell_size(const struct figures_function *f, char text[CELL])
{
	if (!has_size(f))
		return "";
	snprintf(text, CELL, "%zu", f->size);
	return text;
}

static const char *cell_units(const struct figures_function *f, char text[CELL])
{
	return figures_number(figure_of(f), half_of(f), text);
}

static const char *cell_time(const struct figures_function *f, char text[CELL])
{
	const double half = half_of(f), ns = figure_of(f) * f->ns_per_unit;

	return figures_time(ns, half > 0 ? half * f->ns_per_unit + fabs(ns) * f->ns_error : 0,
			    text);
}

/* Also with functions that are linked anew for each process, the quartiles are those of the samples
 * of one process, the typical one. How far one layout is from the next stands beside this. */
static const char *cell_spread(const struct figures_function *f, char text[CELL])
{
	const struct cpucycles_result *r = f->result;
	const double percent = (r->q3 - r->q1) / r->median * 100;

	if (!(r->median > 0) || r->samples < 2)
		return UNKNOWN;
	snprintf(text, CELL, "%s %%", number_decimals(percent < 10 ? 1 : 0, percent).text);
	return text;
}

static const char *cell_by_layout(const struct figures_function *f, char text[CELL])
{
	const double percent = f->by_layout * 100;
	char number[FIGURES_NUMBER];

	if (!(percent > 0))
		return UNKNOWN;
	snprintf(text, CELL, "%s %%", figures_number(percent, TWO_DIGITS * percent, number));
	return text;
}

static const char *cell_calls(const struct figures_function *f, char text[CELL])
{
	snprintf(text, CELL, "%" PRIu64, f->result->samples * f->result->batch);
	return text;
}

static const char *cell_per_byte(const struct figures_function *f, char text[CELL])
{
	const double bytes = (double)f->bytes;

	if (!f->bytes)
		return UNKNOWN;
	return figures_number(figure_of(f) / bytes, half_of(f) / bytes, text);
}

/* Bytes per nanosecond are gigabytes per second. */
static const char *cell_rate(const struct figures_function *f, char text[CELL])
{
	const double figure = figure_of(f);
	const double rate = (double)f->bytes / (figure * f->ns_per_unit);

	if (!f->bytes || !(figure > 0))
		return UNKNOWN;
	return figures_number(rate, rate * half_of(f) / figure, text);
}

/* Why a function has no figures, without its own name before that, which stands in the row. */
static const char *reason_of(const struct figures_function *f)
{
	const char *const end = strstr(f->reason, ": ");
	const size_t length = end ? (size_t)(end - f->reason) : 0;

	return length && !strncmp(f->name, f->reason, length) ? end + 2 : f->reason;
}

static const char *cell_note(const struct figures_function *f, char text[CELL])
{
	if (f->reason)
		return reason_of(f);
	if (f->renewed)
		return "input made anew: one call a sample";
	if (f->result->batch <= 1)
		return "";
	snprintf(text, CELL, "in a loop of %u calls: throughput, not latency", f->result->batch);
	return text;
}

/* Cells for programs */

static const char *plain(double value, char text[CELL])
{
	if (!isfinite(value))
		return "";
	snprintf(text, CELL, "%s", number_digits(DIGITS, value).text);
	return text;
}

static const char *plain_mean(const struct figures_function *f, char text[CELL])
{
	return plain(figure_of(f), text);
}

static const char *plain_low(const struct figures_function *f, char text[CELL])
{
	return plain(f->low, text);
}

static const char *plain_high(const struct figures_function *f, char text[CELL])
{
	return plain(f->high, text);
}

static const char *plain_median(const struct figures_function *f, char text[CELL])
{
	return plain(f->result->median, text);
}

static const char *plain_q1(const struct figures_function *f, char text[CELL])
{
	return plain(f->result->q1, text);
}

static const char *plain_q3(const struct figures_function *f, char text[CELL])
{
	return plain(f->result->q3, text);
}

static const char *plain_ns(const struct figures_function *f, char text[CELL])
{
	return plain(figure_of(f) * f->ns_per_unit, text);
}

static const char *plain_batch(const struct figures_function *f, char text[CELL])
{
	snprintf(text, CELL, "%u", f->result->batch);
	return text;
}

static const char *plain_bytes(const struct figures_function *f, char text[CELL])
{
	return f->bytes ? plain((double)f->bytes, text) : "";
}

static const char *plain_verdict(const struct figures_function *f, char text[CELL])
{
	static const char *const words[] = {
		[VERDICT_CANNOT_TELL] = "cannot tell",
		[VERDICT_FASTER] = "faster",
		[VERDICT_SLOWER] = "slower",
		[VERDICT_SAME] = "same",
	};

	(void)text;
	return f->verdict ? words[f->verdict->kind] : "";
}

static const char *plain_ratio(const struct figures_function *f, char text[CELL])
{
	return f->verdict ? plain(f->verdict->ratio, text) : "";
}

static const char *plain_ratio_low(const struct figures_function *f, char text[CELL])
{
	return f->verdict && isfinite(f->verdict->high) ? plain(f->verdict->low, text) : "";
}

static const char *plain_ratio_high(const struct figures_function *f, char text[CELL])
{
	return f->verdict ? plain(f->verdict->high, text) : "";
}

static const char *plain_within(const struct figures_function *f, char text[CELL])
{
	return f->verdict && f->verdict->within > 0 ? plain(f->verdict->within, text) : "";
}

static const char *plain_units(const struct figures_function *f, char text[CELL])
{
	return f->verdict ? plain((double)f->verdict->units, text) : "";
}

static const char *plain_layouts(const struct figures_function *f, char text[CELL])
{
	return f->verdict && f->verdict->linked ? plain((double)f->verdict->layouts, text) : "";
}

static const char *plain_placement(const struct figures_function *f, char text[CELL])
{
	return f->verdict && f->verdict->linked ? plain(f->verdict->placement, text) : "";
}

/* Their names, with blanks between them. */
static const char *plain_warnings(const struct figures_function *f, char text[CELL])
{
	size_t length = 0;

	text[0] = 0;
	for (size_t i = 0; i < f->warnings->n; i++)
		length += (size_t)snprintf(text + length, CELL - length, "%s%s", i ? " " : "",
					   f->warnings->list[i].name);
	return text;
}

/* Columns */

static bool any_size(const struct figures *figures)
{
	for (size_t i = 0; i < figures->count; i++)
		if (has_size(&figures->functions[i]))
			return true;
	return false;
}

static bool any_bytes(const struct figures *figures)
{
	for (size_t i = 0; i < figures->count; i++)
		if (figures->functions[i].bytes)
			return true;
	return false;
}

static bool any_by_layout(const struct figures *figures)
{
	for (size_t i = 0; i < figures->count; i++)
		if (figures->functions[i].by_layout > 0)
			return true;
	return false;
}

static bool any_note(const struct figures *figures)
{
	char text[CELL];

	for (size_t i = 0; i < figures->count; i++)
		if (*cell_note(&figures->functions[i], text))
			return true;
	return false;
}

/* A time is there in any case. */
static bool no_time(const struct figures *figures)
{
	return strcmp(figures->unit, "ns") != 0;
}

struct column {
	const char *title; /* the unit comes before one that begins with a slash */
	const char *(*cell)(const struct figures_function *f, char text[CELL]);
	bool (*shown)(const struct figures *figures); /* NULL: in any case */
	bool left;
	bool always; /* also where the function has no figures */
};

/* The events come before the last one. */
static const struct column for_people[] = {
	{ "function", cell_name, NULL, true, true },
	{ "size", cell_size, any_size, false, true },
	{ "/call", cell_units, no_time, false, false },
	{ "time/call", cell_time, NULL, false, false },
	{ "spread", cell_spread, NULL, false, false },
	{ "by layout", cell_by_layout, any_by_layout, false, false },
	{ "calls", cell_calls, NULL, false, false },
	{ "/byte", cell_per_byte, any_bytes, false, false },
	{ "GB/s", cell_rate, any_bytes, false, false },
	{ "note", cell_note, any_note, true, true },
};

static const struct column for_programs[] = {
	{ "function", cell_name, NULL, true, true },
	{ "size", cell_size, NULL, false, true },
	{ "unit", NULL, NULL, true, true },
	{ "mean", plain_mean, NULL, false, false },
	{ "mean_low", plain_low, NULL, false, false },
	{ "mean_high", plain_high, NULL, false, false },
	{ "quartile1", plain_q1, NULL, false, false },
	{ "median", plain_median, NULL, false, false },
	{ "quartile3", plain_q3, NULL, false, false },
	{ "mean_ns", plain_ns, NULL, false, false },
	{ "calls", cell_calls, NULL, false, false },
	{ "calls_per_sample", plain_batch, NULL, false, false },
	{ "bytes", plain_bytes, NULL, false, true },
	{ "verdict", plain_verdict, NULL, true, false },
	{ "ratio", plain_ratio, NULL, false, false },
	{ "ratio_low", plain_ratio_low, NULL, false, false },
	{ "ratio_high", plain_ratio_high, NULL, false, false },
	{ "within", plain_within, NULL, false, false },
	{ "units", plain_units, NULL, false, false },
	{ "layouts", plain_layouts, NULL, false, false },
	{ "placement_part", plain_placement, NULL, false, false },
	{ "warnings", plain_warnings, NULL, true, false },
	{ "note", cell_note, NULL, true, true },
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define COLUMNS_MOST COUNT(for_programs)

/* A table that is made column by column. */
struct builder {
	const struct figures *figures;
	enum table_form form;
	struct table_column *columns;
	size_t columns_count;
	char (*titles)[FIGURES_NUMBER];
	char (*texts)[CELL]; /* of all cells */
	const char **cells;
	size_t room; /* columns */
};

static const char *unknown(const struct builder *b)
{
	return b->form == TABLE_CSV ? "" : UNKNOWN;
}

static void add_column(struct builder *b, const struct column *column)
{
	const size_t n = b->columns_count++;

	b->columns[n] = (struct table_column){ column->title, !column->left };
	if (column->title[0] == '/') {
		snprintf(b->titles[n], FIGURES_NUMBER, "%s%s", b->figures->unit, column->title);
		b->columns[n].title = b->titles[n];
	}
	for (size_t row = 0; row < b->figures->count; row++) {
		const struct figures_function *f = &b->figures->functions[row];
		const size_t i = row * b->room + n;

		if (f->reason && !column->always)
			b->cells[i] = unknown(b);
		else
			b->cells[i] =
				column->cell ? column->cell(f, b->texts[i]) : b->figures->unit;
	}
}

/* The mean of an event has no interval. */
static void add_event(struct builder *b, size_t event)
{
	const size_t n = b->columns_count++;

	b->columns[n] = (struct table_column){ b->figures->events[event], true };
	for (size_t row = 0; row < b->figures->count; row++) {
		const struct figures_function *f = &b->figures->functions[row];
		const size_t i = row * b->room + n;

		if (f->reason || !isfinite(f->events[event]))
			b->cells[i] = unknown(b);
		else if (b->form == TABLE_CSV)
			b->cells[i] = plain(f->events[event], b->texts[i]);
		else
			b->cells[i] = figures_number(f->events[event], 0, b->texts[i]);
	}
}

static void add_columns(struct builder *b, const struct column columns[], size_t n)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t event = 0; i + 1 == n && event < b->figures->events_count; event++)
			add_event(b, event);
		if (!columns[i].shown || columns[i].shown(b->figures))
			add_column(b, &columns[i]);
	}
}

/* The cells stand in rows of `room` columns so far. */
static void close_up(struct builder *b)
{
	for (size_t row = 1; row < b->figures->count; row++)
		memmove(&b->cells[row * b->columns_count], &b->cells[row * b->room],
			b->columns_count * sizeof *b->cells);
}

static void build(struct builder *b)
{
	if (b->form == TABLE_CSV)
		add_columns(b, for_programs, COUNT(for_programs));
	else
		add_columns(b, for_people, COUNT(for_people));
	close_up(b);
}

static int put_table(const struct figures *figures, enum table_form form, FILE *to)
{
	const size_t room = COLUMNS_MOST + figures->events_count, all = room * figures->count + 1;
	struct builder b = {
		.figures = figures,
		.form = form,
		.columns = calloc(room, sizeof *b.columns),
		.titles = calloc(room, sizeof *b.titles),
		.texts = calloc(all, sizeof *b.texts),
		.cells = calloc(all, sizeof *b.cells),
		.room = room,
	};
	const bool whole = b.columns && b.titles && b.texts && b.cells;

	if (whole) {
		build(&b);
		table_print(&(struct table){ .columns = b.columns,
					     .columns_count = b.columns_count,
					     .rows = figures->count,
					     .cells = b.cells },
			    form, to);
	}
	free(b.columns);
	free(b.titles);
	free(b.texts);
	free(b.cells);
	return whole ? 0 : -ENOMEM;
}

static void put_counter(const struct figures *figures, enum table_form form, FILE *to)
{
	char number[FIGURES_NUMBER];

	if (!figures->counter)
		return;
	fputs("counter: ", to);
	table_put(figures->counter, form, to);
	fprintf(to, ", in %s, with a step of %s %s\n\n", figures->unit,
		figures_number(figures->step, 0, number), figures->unit);
}

/* Warnings */

static void begin_line(enum table_form form, FILE *to)
{
	if (form == TABLE_MARKDOWN)
		fputs("- ", to);
}

static void begin_warning(const struct figures *figures, enum table_form form, FILE *to)
{
	begin_line(form, to);
	fputs(figures->colour ? YELLOW "warning" NO_COLOUR ": " : "warning: ", to);
}

static void end_warning(const struct cpucycles_reason *reason, size_t some, size_t all,
			enum table_form form, FILE *to)
{
	fputs(": ", to);
	table_put(reason->what, form, to);
	if (some < all)
		fprintf(to, " (in %zu of %zu processes)", some, all);
	if (reason->remedy[0]) {
		fputs("; ", to);
		table_put(reason->remedy, form, to);
	}
	putc('\n', to);
}

/* Whether the function has this warning with the same words. */
static bool has_warning(const struct figures_function *f, const struct figures_function *other,
			size_t number)
{
	for (size_t i = 0; !f->reason && i < f->warnings->n; i++)
		if (f->warnings->list[i].runs == other->warnings->list[number].runs &&
		    !strcmp(f->warnings->list[i].reason.what,
			    other->warnings->list[number].reason.what))
			return true;
	return false;
}

static void put_name(const struct figures_function *f, enum table_form form, FILE *to)
{
	table_put(f->name, form, to);
	if (has_size(f))
		fprintf(to, " (size %zu)", f->size);
}

/* Warning number w of function number i, unless an earlier function has had it. */
static void put_warning(const struct figures *figures, size_t i, size_t w, enum table_form form,
			FILE *to)
{
	const struct figures_function *f = &figures->functions[i];

	for (size_t earlier = 0; earlier < i; earlier++)
		if (has_warning(&figures->functions[earlier], f, w))
			return;
	begin_warning(figures, form, to);
	put_name(f, form, to);
	for (size_t later = i + 1; later < figures->count; later++)
		if (has_warning(&figures->functions[later], f, w)) {
			fputs(", ", to);
			put_name(&figures->functions[later], form, to);
		}
	end_warning(&f->warnings->list[w].reason, f->warnings->list[w].runs, f->runs, form, to);
}

/* Whether there is a warning, and an empty line before it. */
static bool begin_warnings(const struct figures *figures, FILE *to)
{
	bool any = figures->lacks_count > 0;

	for (size_t i = 0; i < figures->count && !any; i++)
		any = !figures->functions[i].reason && figures->functions[i].warnings->n > 0;
	if (any)
		putc('\n', to);
	return any;
}

static void put_warnings(const struct figures *figures, enum table_form form, FILE *to)
{
	if (!begin_warnings(figures, to))
		return;
	for (size_t i = 0; i < figures->lacks_count; i++) {
		begin_warning(figures, form, to);
		table_put(figures->lacks[i].what, form, to);
		end_warning(figures->lacks[i].reason, 1, 1, form, to);
	}
	for (size_t i = 0; i < figures->count; i++)
		for (size_t w = 0;
		     !figures->functions[i].reason && w < figures->functions[i].warnings->n; w++)
			put_warning(figures, i, w, form, to);
}

/* Sentences */

#define say(text, ...) letters_add(text, FIGURES_SENTENCE, __VA_ARGS__)

/* Bytes of a name. */
#define SHOWN 280

/* The answer in words, such as "g is slower than f, by less than 1 %, as they are linked". */
static void say_answer(const struct figures_function *f, char text[FIGURES_SENTENCE])
{
	const struct figures_verdict *v = f->verdict;
	const double within = v->within * 100;
	const int name = letters_within(f->name, SHOWN), first = letters_within(v->first, SHOWN);

	switch (v->kind) {
	case VERDICT_CANNOT_TELL:
		say(text, "%.*s relative to %.*s: cannot tell", name, f->name, first, v->first);
		return;
	case VERDICT_SAME:
		say(text, "%.*s takes as long as %.*s, within %s %%", name, f->name, first,
		    v->first, number_digits(4, within).text);
		break;
	default:
		say(text, "%.*s is %s than %.*s", name, f->name,
		    v->kind == VERDICT_FASTER ? "faster" : "slower", first, v->first);
		if (v->inside)
			say(text, ", by less than %s %%", number_digits(4, within).text);
	}
	say(text, "%s", v->scope);
}

/* The ratio and its ends, with this before and between them. All three have the digits that half of
 * the interval allows. */
static void say_interval(char text[FIGURES_SENTENCE], const char *before, const double values[3],
			 const char *behind, const char *end)
{
	const double half = fabs(values[2] - values[1]) / 2;
	char value[FIGURES_NUMBER], low[FIGURES_NUMBER], high[FIGURES_NUMBER];

	say(text, "%s%s%s (%s to %s%s)", before, figures_number(values[0], half, value), behind,
	    figures_number(values[1], half, low), figures_number(values[2], half, high), end);
}

static void say_code(const struct figures_verdict *v, char text[FIGURES_SENTENCE])
{
	const bool faster = v->kind == VERDICT_FASTER;
	const double ratios[] = { v->ratio, v->low, v->high };
	const double more[] = { (v->ratio - 1) * 100, (v->low - 1) * 100, (v->high - 1) * 100 };
	const double less[] = { -more[0], -more[2], -more[1] };

	if (v->kind == VERDICT_CANNOT_TELL || v->kind == VERDICT_SAME)
		say_interval(text, ": ratio ", ratios, "", "");
	else if (!(v->ratio > RATIO_LOW && v->ratio < RATIO_HIGH))
		say_interval(text, ": its code takes ", ratios, " times as long", "");
	else
		say_interval(text, ": its code takes ", faster ? less : more,
			     faster ? " % less time" : " % longer", " %");
}

/* Of functions that were linked anew for each process. */
static void say_linked(const struct figures_verdict *v, char text[FIGURES_SENTENCE])
{
	const double percent = v->placement * 100;
	char number[FIGURES_NUMBER];

	say_code(v, text);
	if (v->kind == VERDICT_SAME)
		say(text, ", ");
	else if (isfinite(percent))
		say(text, ". Where it lies moves one comparison by %s %%. ",
		    figures_number(percent, TWO_DIGITS * percent, number));
	else
		say(text, ". ");
	say(text, "%.40s", v->base);
}

static void say_figures(const struct figures_verdict *v, char text[FIGURES_SENTENCE])
{
	const double half = (v->high - v->low) / 2;
	char ratio[FIGURES_NUMBER], low[FIGURES_NUMBER], high[FIGURES_NUMBER];

	if (!isfinite(half))
		return;
	if (v->linked)
		say_linked(v, text);
	else
		say(text, ": it takes %s times as long, between %s and %s%.40s",
		    figures_number(v->ratio, half, ratio), figures_number(v->low, half, low),
		    figures_number(v->high, half, high), v->base);
}

void figures_sentence(const struct figures_function *f, char text[FIGURES_SENTENCE])
{
	text[0] = 0;
	if (has_size(f))
		say(text, "size %zu: ", f->size);
	say_answer(f, text);
	say_figures(f->verdict, text);
	say(text, ".");
	if (f->verdict->kind == VERDICT_CANNOT_TELL)
		say(text, " %s", f->verdict->advice);
}

void figures_missed(const char *name, size_t size, char text[FIGURES_SENTENCE])
{
	char of_size[32] = "";

	if (size)
		snprintf(of_size, sizeof of_size, "size %zu: ", size);
	snprintf(text, FIGURES_SENTENCE, "%s%.*s has no figures, so nothing is compared with it.",
		 of_size, letters_within(name, 900), name);
}

static const char *colour_of(const struct figures *figures, const struct figures_verdict *verdict)
{
	if (!figures->colour || !verdict)
		return "";
	if (verdict->kind == VERDICT_SLOWER)
		return RED;
	return verdict->kind == VERDICT_FASTER ? GREEN : "";
}

/* Whether function number i is the first one of its group, and has no figures, and another one of
 * that group has. */
static bool is_missed(const struct figures *figures, size_t i)
{
	const struct figures_function *f = figures->functions;

	if (!f[i].reason || (i > 0 && f[i - 1].group == f[i].group))
		return false;
	for (size_t j = i + 1; j < figures->count && f[j].group == f[i].group; j++)
		if (!f[j].reason)
			return true;
	return false;
}

/* The sentence on function number i. False: there is none. */
static bool make_sentence(const struct figures *figures, size_t i, char text[FIGURES_SENTENCE])
{
	const struct figures_function *f = &figures->functions[i];

	if (f->verdict)
		figures_sentence(f, text);
	else if (is_missed(figures, i))
		figures_missed(f->name, f->size, text);
	else
		return false;
	return true;
}

static void put_sentences(const struct figures *figures, enum table_form form, FILE *to)
{
	char text[FIGURES_SENTENCE];
	bool any = false;

	for (size_t i = 0; i < figures->count; i++) {
		const char *const colour = colour_of(figures, figures->functions[i].verdict);

		if (!make_sentence(figures, i, text))
			continue;
		if (!any)
			putc('\n', to);
		any = true;
		begin_line(form, to);
		fputs(colour, to);
		table_put(text, form, to);
		fputs(*colour ? NO_COLOUR "\n" : "\n", to);
	}
}

int figures_print(const struct figures *figures, enum table_form form, FILE *to)
{
	int error;

	if (form == TABLE_CSV)
		return put_table(figures, form, to);
	put_counter(figures, form, to);
	error = put_table(figures, form, to);
	if (error)
		return error;
	if (figures->ending)
		fprintf(to, "\n%s\n", figures->ending);
	put_warnings(figures, form, to);
	put_sentences(figures, form, to);
	return 0;
}
