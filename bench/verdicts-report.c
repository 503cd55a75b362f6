/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The table and the JSON of bench/verdicts. */

#include "config.h"

#include "verdicts.h"

#include "series.h"

#include <math.h>
#include <stdio.h>

#ifdef HAVE_JANSSON
#include <jansson.h>
#endif

/* A goal of right verdicts that leaves room for wrong ones: so many at most, as a part. */
#define WRONG_GOAL 0.01

static double at_most(long hits, long tries)
{
	return chance_at_most((size_t)hits, (size_t)tries);
}

static double at_least(long hits, long tries)
{
	return 1 - at_most(tries - hits, tries);
}

/* A goal is reached, or missed, only if the bounds leave nothing else to believe. */
static const char *reached_same(const struct outcome *o)
{
	const double goal = o->goal * 0.01;

	if (at_most(o->wrong, o->tries) <= goal)
		return "reached";
	return at_least(o->wrong, o->tries) > goal ? "missed" : "not shown";
}

/* Whether there are more wrong answers than the goal allows. Advice has no more of them than it has
 * answers that are not right. */
static bool is_too_wrong(const struct outcome *o)
{
	if (o->subject == DIFFERENT_CODE)
		return o->wrong > 0;
	return o->subject == SAME_WITHIN && at_least(o->wrong, o->tries) > WRONG_GOAL;
}

static const char *reached_right(const struct outcome *o)
{
	const double goal = o->goal * 0.01;

	if (o->tries > 0 && o->too_fast == o->tries)
		return "too fast to measure";
	if (is_too_wrong(o) || at_most(o->right, o->tries) < goal)
		return "missed";
	return at_least(o->right, o->tries) >= goal ? "reached" : "not shown";
}

static const char *reached(const struct outcome *o)
{
	if (!o->goal)
		return "-";
	return o->subject == SAME_CODE ? reached_same(o) : reached_right(o);
}

static void print_goal(const struct outcome *o)
{
	if (o->goal)
		printf("  %s %d %%: %s\n",
		       o->subject == SAME_CODE ? "wrong <=" : "right >=", o->goal, reached(o));
	else
		puts("  -");
}

static void print_head(enum subject subject)
{
	static const char *const names[] = {
		[SAME_CODE] = "the same code",
		[DIFFERENT_CODE] = "different code",
		[SAME_WITHIN] = "the same code, told as such",
		[ADVICE] = "advice of how long to measure",
	};

	if (subject == SAME_CODE)
		printf("%-43s tries faster slower  (at most) unknown  goal\n", names[subject]);
	else
		printf("\n%-43s tries right (at least) wrong (at most) unknown  goal\n",
		       names[subject]);
}

/* A head stands above the rows of each kind. */
static void head(enum subject subject)
{
	static bool printed[ADVICE + 1];

	if (!printed[subject])
		print_head(subject);
	printed[subject] = true;
}

/* What the columns have no room for. */
static void print_notes(const struct outcome *o)
{
	if (o->too_fast > 0)
		printf("    %ld of them too fast to measure: %s\n", o->too_fast, o->why);
	if (o->subject == ADVICE)
		printf("    wrong: %ld too little, %ld too much; left out: %ld\n", o->too_little,
		       o->too_much, o->left_out);
	if (o->timed)
		printf("    seconds of a comparison: median %.1f, longest %.1f\n",
		       o->seconds_median, o->seconds_longest);
}

void report_row(const struct outcome *o)
{
	const long unknown = o->tries - o->right - o->wrong;
	const double wrong = percent_at_most((size_t)o->wrong, (size_t)o->tries);

	head(o->subject);
	if (o->subject == SAME_CODE)
		printf("%-43s %5ld %6ld %6ld %8.2f %% %7ld", o->name, o->tries, o->faster,
		       o->slower, wrong, unknown);
	else
		printf("%-43s %5ld %5ld %8.2f %% %5ld %7.2f %% %7ld", o->name, o->tries, o->right,
		       percent_at_least((size_t)o->right, (size_t)o->tries), o->wrong, wrong,
		       unknown);
	print_goal(o);
	print_notes(o);
	fflush(stdout);
}

void report_not_measured(const struct outcome *outcome, const char *why)
{
	head(outcome->subject);
	printf("%-43s not measured: %s\n", outcome->name, why);
	fflush(stdout);
}

#ifdef HAVE_JANSSON

static json_t *seconds_value(double seconds)
{
	return seconds > 0 ? json_real(seconds) : json_null();
}

static json_t *row_value(const struct outcome *o)
{
	static const char *const subjects[] = {
		[SAME_CODE] = "same code",
		[DIFFERENT_CODE] = "different code",
		[SAME_WITHIN] = "same within",
		[ADVICE] = "advice",
	};

	return json_pack(
		"{s:s, s:s, s:I, s:I, s:I, s:I, s:f, s:I, s:f, s:I, s:I, s:I, s:I, s:I, s:o, s:o, "
		"s:i, s:s}",
		"name", o->name, "subject", subjects[o->subject], "tries", (json_int_t)o->tries,
		"faster", (json_int_t)o->faster, "slower", (json_int_t)o->slower, "right",
		(json_int_t)o->right, "right_at_least_percent",
		percent_at_least((size_t)o->right, (size_t)o->tries), "wrong", (json_int_t)o->wrong,
		"wrong_at_most_percent", percent_at_most((size_t)o->wrong, (size_t)o->tries),
		"unknown", (json_int_t)(o->tries - o->right - o->wrong), "too_fast",
		(json_int_t)o->too_fast, "too_little", (json_int_t)o->too_little, "too_much",
		(json_int_t)o->too_much, "left_out", (json_int_t)o->left_out, "seconds_median",
		seconds_value(o->seconds_median), "seconds_longest",
		seconds_value(o->seconds_longest), "goal_percent", o->goal, "goal", reached(o));
}

bool report_json(const char *path, const struct outcome outcomes[], int n, bool busy, long seed)
{
	json_t *array = json_array(), *root;
	bool written;

	for (int i = 0; i < n; i++)
		json_array_append_new(array, row_value(&outcomes[i]));
	root = json_pack("{s:i, s:s, s:b, s:I, s:o}", "format", 3, "version", PACKAGE_VERSION,
			 "busy", busy, "seed", (json_int_t)seed, "verdicts", array);
	written = root && !json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6));
	json_decref(root);
	if (!written)
		fprintf(stderr, "verdicts: %s: not written\n", path);
	return written;
}

#else

bool report_json(const char *path, const struct outcome outcomes[], int n, bool busy, long seed)
{
	(void)outcomes;
	(void)n;
	(void)busy;
	(void)seed;
	fprintf(stderr, "verdicts: %s: not written: built without jansson\n", path);
	return false;
}

#endif
