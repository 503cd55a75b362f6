/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The table of bench/leaks. */

#include "config.h"

#include "leaks.h"

#include "series.h"

#include <stdio.h>

/* Goals, in percent. */
#define WRONG 1
#define RIGHT 95

static double at_most(long hits, long tests)
{
	return percent_at_most((size_t)hits, (size_t)tests);
}

static double at_least(long hits, long tests)
{
	return percent_at_least((size_t)hits, (size_t)tests);
}

/* A goal is reached, or missed, only if the bounds leave nothing else to believe. */
static const char *reached(const struct leaks_outcome *o)
{
	const long hits = o->answers[!o->same && o->kind == LEAKS_SAFE ? NONE_ABOVE : LEAKS];

	if (o->same && at_most(hits, o->tests) <= WRONG)
		return "reached";
	if (o->same)
		return at_least(hits, o->tests) > WRONG ? "missed" : "not shown";
	if (at_most(hits, o->tests) < RIGHT)
		return "missed";
	return at_least(hits, o->tests) >= RIGHT ? "reached" : "not shown";
}

static void print_goal(const struct leaks_outcome *o)
{
	if (o->same)
		printf("  leaks <= %d %%: %s\n", WRONG, reached(o));
	else
		printf("  %s >= %d %%: %s\n", o->kind == LEAKS_SAFE ? "none" : "leaks", RIGHT,
		       reached(o));
}

static void print_head(const struct leaks_outcome *o)
{
	static const char *const names[] = { [LEAKS_POWER] = "one group takes longer",
					     [LEAKS_LEAKY] = "the time depends on the input",
					     [LEAKS_SAFE] = "it does not" };
	static int printed = -1;
	const int head = o->same ? 0 : 1 + (int)o->kind;

	if (head == printed)
		return;
	printf("%s%-30s tests leaks   (bound)  none   (bound) cannot ctrl | raw t crops   (bound)"
	       "  goal\n",
	       printed < 0 ? "" : "\n", o->same ? "the groups are the same" : names[o->kind]);
	printed = head;
}

/* Whether a low count is what is wanted of that verdict: then the bound is an upper one. */
static void print_count(long hits, long tests, bool low)
{
	printf(" %5ld %s%6.2f %%", hits,
	       low ? "<=" : ">=", low ? at_most(hits, tests) : at_least(hits, tests));
}

static void print_notes(const struct leaks_outcome *o)
{
	const size_t n = (size_t)o->tests;
	struct spread seconds;

	if (n == 0)
		return;
	seconds = spread_of(o->seconds, n);
	printf("    seconds of a test: median %.2f, longest %.2f", seconds.median, seconds.max);
	if (!o->same)
		printf("; the medians differ by %.2f (median of the tests)",
		       spread_of(o->shifts, n).median);
	puts("");
	if (o->parts > 0)
		printf("    of %ld tests, the t tests have seen a part of the calls\n", o->parts);
}

void leaks_report(const struct leaks_outcome *o)
{
	const bool safe = o->same || o->kind == LEAKS_SAFE;

	print_head(o);
	printf("%-30s %5ld", o->name, o->tests);
	print_count(o->answers[LEAKS], o->tests, safe);
	print_count(o->answers[NONE_ABOVE], o->tests, !safe);
	printf(" %6ld %4ld | %5ld", o->answers[CANNOT_TELL], o->answers[NO_CONTROL], o->raw);
	print_count(o->cropped, o->tests, safe);
	print_goal(o);
	print_notes(o);
	fflush(stdout);
}
