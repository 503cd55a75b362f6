/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "colours.h"
#include "cycles.h"
#include "figures.h"
#include "letters.h"
#include "number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A difference of up to this factor is given in percent. */
#define PERCENT_MOST 1.5

/* Warnings */

static void begin_line(enum table_form form, FILE *to)
{
	if (form == TABLE_MARKDOWN)
		fputs("- ", to);
}

static void begin_warning(const struct figures *figures, const char *word, enum table_form form,
			  FILE *to)
{
	begin_line(form, to);
	fprintf(to, figures->colour ? YELLOW "%s" NO_COLOUR ": " : "%s: ", word);
}

/* f: whose warning it is; NULL: of no function. runs: that have it. */
static void end_warning(const struct reason_text *reason, const struct figures_function *f,
			size_t runs, enum table_form form, FILE *to)
{
	fputs(": ", to);
	table_put(reason->what, form, to);
	if (f && runs < f->runs)
		fprintf(to, " (in %zu of %zu %s)", runs, f->runs,
			f->linked ? "layouts" : "processes");
	if (reason->remedy[0]) {
		fputs("; ", to);
		table_put(reason->remedy, form, to);
	}
	putc('\n', to);
}

/* The warning on a function that is printed. */
struct said {
	const struct figures_function *f;
	const struct judge_warned *warned;
};

static int by_words(const struct said *a, const struct said *b)
{
	const int order = strcmp(a->warned->reason.what, b->warned->reason.what);

	return order ? order :
		       (a->warned->runs > b->warned->runs) - (a->warned->runs < b->warned->runs);
}

static int by_words_and_place(const void *a, const void *b)
{
	const struct said *const x = a, *const y = b;
	const int order = by_words(x, y);

	return order ? order : (x->f > y->f) - (x->f < y->f);
}

/* The warnings with one text, of which this is the first: the later functions share its line. */
static void put_warning(const struct figures *figures, const struct said *first,
			const struct said *end, enum table_form form, FILE *to)
{
	begin_warning(figures, "warning", form, to);
	for (const struct said *said = first; said < end && !by_words(said, first); said++) {
		fputs(said > first ? ", " : "", to);
		table_put(said->f->name, form, to);
		if (figures_has_size(said->f))
			fprintf(to, " (size %zu)", said->f->size);
	}
	end_warning(&first->warned->reason, first->f, first->warned->runs, form, to);
}

/* Whether there is one, and which. */
static bool choose(const struct figures_function *f, struct said *said)
{
	const struct judge_warnings *const list = f->reason ? NULL : &f->measured->warnings;
	const size_t place = list ? judge_counts(list, f->runs, JUDGE_FUNCTION) : 0;

	if (!list || place == list->n)
		return false;
	*said = (struct said){ f, &list->list[place] };
	return true;
}

/* The first of each text, in the order of the functions. */
static void put_all(const struct figures *figures, const struct said sorted[], size_t n,
		    enum table_form form, FILE *to)
{
	struct said said;

	for (size_t i = 0; i < figures->count; i++) {
		const struct said *at;

		if (!choose(&figures->functions[i], &said))
			continue;
		at = bsearch(&said, sorted, n, sizeof *sorted, by_words_and_place);
		if (at == sorted || by_words(at - 1, at))
			put_warning(figures, at, sorted + n, form, to);
	}
}

static void put_machine(const struct figures *figures, const char *text, enum table_form form,
			FILE *to)
{
	begin_warning(figures, "machine", form, to);
	table_put(text, form, to);
	putc('\n', to);
}

/* 0 or -ENOMEM. */
static int put_warnings(const struct figures *figures, enum table_form form, FILE *to)
{
	struct said *const sorted = calloc(figures->count + 1, sizeof *sorted);
	char machine[FIGURES_SENTENCE];
	const bool affects = figures_machine(figures, machine);
	size_t n = 0;

	if (!sorted)
		return -ENOMEM;
	for (size_t i = 0; i < figures->count; i++)
		n += choose(&figures->functions[i], &sorted[n]);
	qsort(sorted, n, sizeof *sorted, by_words_and_place);
	if (affects || n + figures->lacks_count > 0)
		putc('\n', to);
	for (size_t i = 0; i < figures->lacks_count; i++) {
		begin_warning(figures, "warning", form, to);
		table_put(figures->lacks[i].what, form, to);
		end_warning(figures->lacks[i].reason, NULL, 0, form, to);
	}
	if (affects)
		put_machine(figures, machine, form, to);
	put_all(figures, sorted, n, form, to);
	free(sorted);
	return 0;
}

/* Sentences */

#define say(text, ...) letters_add(text, FIGURES_SENTENCE, __VA_ARGS__)

/* Bytes of a name. */
#define SHOWN 280

/* A figure and its ends, with this before and after the figure. All three have the digits that half
 * of the interval allows. */
static void say_interval(char text[FIGURES_SENTENCE], const char *before, const double values[3],
			 const char *after)
{
	const double half = fabs(values[2] - values[1]) / 2;
	char value[FIGURES_NUMBER], low[FIGURES_NUMBER], high[FIGURES_NUMBER];

	say(text, "%s%s%s (%s to %s)", before, figures_number(values[0], half, value), after,
	    figures_number(values[1], half, low), figures_number(values[2], half, high));
}

/* A difference as people say it, after the name: " is 2.6 times as fast as f (2.4 to 2.8)". */
static void say_difference(const struct verdict *v, const char *first, char text[FIGURES_SENTENCE])
{
	const bool faster = v->kind == VERDICT_FASTER;
	const double ratios[] = { v->ratio, v->low, v->high };
	const double inverse[] = { 1 / v->ratio, 1 / v->high, 1 / v->low };
	const double more[] = { (v->ratio - 1) * 100, (v->low - 1) * 100, (v->high - 1) * 100 };
	const double less[] = { -more[0], -more[2], -more[1] };
	const bool percent = (faster ? inverse : ratios)[0] <= PERCENT_MOST;
	char than[FIGURES_SENTENCE];

	snprintf(than, sizeof than, "%s %.*s",
		 !percent ? (faster ? " times as fast as" : " times as long as") :
			    (faster ? " % less time than" : " % slower than"),
		 letters_within(first, SHOWN), first);
	say_interval(text, faster == percent ? " takes " : " is ",
		     percent ? (faster ? less : more) : (faster ? inverse : ratios), than);
}

/* Such as "g is 0.97 % slower than f (0.77 to 1.13), by less than 2 %, as they are linked". */
static void say_verdict(const struct figures_function *f, const char *first, const char *scope,
			char text[FIGURES_SENTENCE])
{
	const struct verdict *const v = &f->measured->verdict;
	const double ratios[] = { v->ratio, v->low, v->high };
	const int shown = letters_within(first, SHOWN);
	const struct number within = number_digits(4, v->within * 100);

	say(text, "%.*s", letters_within(f->name, SHOWN), f->name);
	switch (v->kind) {
	case VERDICT_CANNOT_TELL:
		say(text, " relative to %.*s: cannot tell", shown, first);
		break;
	case VERDICT_SAME:
		say(text, " takes as long as %.*s, within %s %%%s", shown, first, within.text,
		    scope);
		break;
	default:
		say_difference(v, first, text);
		if (v->inside)
			say(text, ", by less than %s %%", within.text);
		say(text, "%s", scope);
		return;
	}
	if (isfinite(v->high))
		say_interval(text, ": ratio ", ratios, "");
}

void figures_sentence(struct figures_function *f, const struct figures_function *first,
		      const char *scope, const char *base, const char *advice)
{
	char *const text = f->sentence;

	text[0] = 0;
	if (figures_has_size(f))
		say(text, "size %zu: ", f->size);
	say_verdict(f, first->name, scope, text);
	if (isfinite(f->measured->verdict.high))
		say(text, "%s", base);
	say(text, ".");
	if (!figures_agree(first, f))
		say(text,
		    " The table's figures give another ratio: they are of all %s, this one "
		    "is of %s next to each other.",
		    f->words ? "runs" : "calls", f->words ? "runs" : "calls");
	say(text, "%s%s", *advice ? " " : "", advice);
}

void figures_missed(struct figures_function *f)
{
	char *const text = f->sentence;

	text[0] = 0;
	if (figures_has_size(f))
		say(text, "size %zu: ", f->size);
	say(text, "%.*s has no figures, so nothing is compared with it.",
	    letters_within(f->name, 900), f->name);
}

static const char *colour_of(const struct figures *figures, const struct figures_function *f)
{
	if (!figures->colour || f->reason)
		return "";
	if (f->measured->verdict.kind == VERDICT_SLOWER)
		return RED;
	return f->measured->verdict.kind == VERDICT_FASTER ? GREEN : "";
}

static void put_sentences(const struct figures *figures, enum table_form form, FILE *to)
{
	bool any = false;

	for (size_t i = 0; i < figures->count; i++) {
		const struct figures_function *f = &figures->functions[i];
		const char *const colour = colour_of(figures, f);

		if (!f->sentence[0])
			continue;
		if (!any)
			putc('\n', to);
		any = true;
		begin_line(form, to);
		fputs(colour, to);
		table_put(f->sentence, form, to);
		fputs(*colour ? NO_COLOUR "\n" : "\n", to);
	}
}

/* The cycles of all functions that were measured next to a chain. */
struct by_chain {
	bool any;
	double bound; /* the largest, as a part of a figure */
};

static void add_chain(const struct figures_function *f, struct by_chain *all)
{
	const struct cpucycles_result *const r = &f->measured->result;

	all->any = true;
	all->bound = fmax(all->bound, cycles_bound(r->cycles, r->iterations) / fabs(r->cycles));
}

static struct by_chain find_chains(const struct figures *figures)
{
	struct by_chain all = { 0 };

	for (size_t i = 0; i < figures->count; i++) {
		const struct figures_function *const f = &figures->functions[i];

		if (!f->reason && measured_has_cycles(&f->measured->result) &&
		    f->measured->result.cycles_from == CPUCYCLES_CYCLES_CHAIN)
			add_chain(f, &all);
	}
	return all;
}

/* A larger bound than BOUND_MOST is that of a function of some tens of cycles. The rows of longer
 * functions have a smaller one, so each row's own interval says more. */
#define BOUND_MOST 0.05

static void put_chains(const struct figures *figures, const struct by_chain *all,
		       enum table_form form, FILE *to)
{
	char range[FIGURES_GHZ];
	double ghz[2];

	fputs("; core cycles by a chain of known length", to);
	if (figures_core_range(figures, ghz))
		fprintf(to, " (%s)", figures_ghz(ghz, range));
	if (all->bound <= BOUND_MOST)
		fprintf(to, ", %s%s %%", figures_plus_minus(form),
			number_digits(2, 100 * all->bound).text);
}

static void put_counter(const struct figures *figures, enum table_form form, FILE *to)
{
	const struct by_chain chains = find_chains(figures);
	const int none = figures_no_cycles(figures);
	char number[FIGURES_NUMBER];

	/* The columns say which time it is. */
	if (!figures->counter || figures->words)
		return;
	fputs("counter: ", to);
	table_put(figures->counter, form, to);
	if (chains.any)
		put_chains(figures, &chains, form, to);
	else
		fprintf(to, ", in %s, with a resolution of %s %s", figures->unit,
			figures_number(figures->resolution, 0, number), figures->unit);
	if (none)
		fprintf(to, "; no core cycles: %s", figures_cycles_reason(none));
	fputs("\n\n", to);
}

int figures_print(const struct figures *figures, enum table_form form, FILE *to)
{
	int error;

	if (form != TABLE_CSV)
		put_counter(figures, form, to);
	if (figures->table)
		figures->table(figures, form, to);
	else
		figures_table(figures, form, to);
	if (form == TABLE_CSV)
		return 0;
	if (figures->ending)
		fprintf(to, "\n%s\n", figures->ending);
	error = put_warnings(figures, form, to);
	put_sentences(figures, form, to);
	return error;
}

int figures_lacks(const struct figures *figures, enum table_form form, FILE *to)
{
	struct figures lacks = *figures;

	lacks.count = 0;
	return put_warnings(&lacks, form, to);
}
