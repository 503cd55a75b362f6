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

/* The goals, as parts of all comparisons. */
#define WRONG_GOAL 0.01
#define RIGHT_GOAL 0.95

static double at_most(long hits, long tries)
{
	return chance_at_most((size_t)hits, (size_t)tries);
}

static double at_least(long hits, long tries)
{
	return 1 - at_most(tries - hits, tries);
}

/* Rounded up, or down: a rounded bound is still one. */
static double percent_at_most(long hits, long tries)
{
	return ceil(at_most(hits, tries) * 1e4) / 100;
}

static double percent_at_least(long hits, long tries)
{
	return floor(at_least(hits, tries) * 1e4) / 100;
}

/* A goal is reached, or missed, only if the bounds leave nothing else to believe. */
static const char *reached_same(const struct outcome *o)
{
	if (at_most(o->wrong, o->tries) <= WRONG_GOAL)
		return "reached";
	return at_least(o->wrong, o->tries) > WRONG_GOAL ? "missed" : "not shown";
}

static const char *reached_different(const struct outcome *o)
{
	if (o->too_fast == o->tries)
		return "too fast to measure";
	if (o->wrong > 0 || at_most(o->right, o->tries) < RIGHT_GOAL)
		return "missed";
	return at_least(o->right, o->tries) >= RIGHT_GOAL ? "reached" : "not shown";
}

static const char *reached(const struct outcome *o)
{
	if (!o->goal)
		return "-";
	return o->same ? reached_same(o) : reached_different(o);
}

static void print_head(bool same)
{
	if (same)
		printf("%-43s tries faster slower  (at most) unknown  wrong <= 1 %%\n",
		       "the same code");
	else
		printf("\n%-43s tries right (at least) wrong (at most) unknown"
		       "  right >= 95 %%\n",
		       "different code");
}

/* A head stands above the rows of each kind. */
static void head(bool same)
{
	static bool printed[2];

	if (!printed[same])
		print_head(same);
	printed[same] = true;
}

void report_row(const struct outcome *o)
{
	const long unknown = o->tries - o->right - o->wrong;
	const double wrong = percent_at_most(o->wrong, o->tries);

	head(o->same);
	if (o->same)
		printf("%-43s %5ld %6ld %6ld %8.2f %% %7ld  %s\n", o->name, o->tries, o->faster,
		       o->slower, wrong, unknown, reached(o));
	else
		printf("%-43s %5ld %5ld %8.2f %% %5ld %7.2f %% %7ld  %s\n", o->name, o->tries,
		       o->right, percent_at_least(o->right, o->tries), o->wrong, wrong, unknown,
		       reached(o));
	if (o->too_fast > 0)
		printf("    %ld of them too fast to measure: %s\n", o->too_fast, o->why);
	fflush(stdout);
}

void report_not_measured(const struct outcome *outcome, const char *why)
{
	head(outcome->same);
	printf("%-43s not measured: %s\n", outcome->name, why);
	fflush(stdout);
}

#ifdef HAVE_JANSSON

static json_t *row_value(const struct outcome *o)
{
	return json_pack("{s:s, s:b, s:I, s:I, s:I, s:I, s:f, s:I, s:f, s:I, s:I, s:s}", "name",
			 o->name, "same", o->same, "tries", (json_int_t)o->tries, "faster",
			 (json_int_t)o->faster, "slower", (json_int_t)o->slower, "right",
			 (json_int_t)o->right, "right_at_least_percent",
			 percent_at_least(o->right, o->tries), "wrong", (json_int_t)o->wrong,
			 "wrong_at_most_percent", percent_at_most(o->wrong, o->tries), "unknown",
			 (json_int_t)(o->tries - o->right - o->wrong), "too_fast",
			 (json_int_t)o->too_fast, "goal", reached(o));
}

bool report_json(const char *path, const struct outcome outcomes[], int n, bool busy, long seed)
{
	json_t *array = json_array(), *root;
	bool written;

	for (int i = 0; i < n; i++)
		json_array_append_new(array, row_value(&outcomes[i]));
	root = json_pack("{s:i, s:s, s:b, s:I, s:o}", "format", 2, "version", PACKAGE_VERSION,
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
