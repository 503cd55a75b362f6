/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * compare BEFORE AFTER: prints two files that bench wrote side by side, with a verdict where the
 * difference exceeds the noise: see series_differ(). Exit status: 0, 1 a file cannot be read or was
 * not written by bench, 2 usage error.
 */

#include "config.h"

#include <stdio.h>

#ifdef HAVE_JANSSON

#include "series.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static json_t *load(const char *path)
{
	json_error_t error;
	json_t *root = json_load_file(path, 0, &error);

	if (!root)
		fprintf(stderr, "compare: %s:%d: %s\n", path, error.line, error.text);
	else if (json_integer_value(json_object_get(root, "format")) != 1 ||
		 !json_is_array(json_object_get(root, "series")))
		fprintf(stderr, "compare: %s: not written by bench, or by another version\n", path);
	else
		return root;
	json_decref(root);
	return NULL;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

static const json_t *find(const json_t *root, const char *name)
{
	size_t i;
	json_t *value;

	json_array_foreach(json_object_get(root, "series"), i, value)
		if (!strcmp(text_of(value, "name"), name))
			return value;
	return NULL;
}

/* Copies the samples of one series of a file. False: the series has none. */
static bool take(const json_t *value, struct series *s)
{
	const json_t *samples = json_object_get(value, "samples");

	memset(s, 0, sizeof *s);
	s->n = json_array_size(samples);
	s->samples = calloc(s->n + 1, sizeof s->samples[0]);
	if (!s->samples)
		abort();
	snprintf(s->unit, sizeof s->unit, "%s", text_of(value, "unit"));
	for (size_t i = 0; i < s->n; i++)
		s->samples[i] = json_number_value(json_array_get(samples, i));
	return s->n > 0;
}

static bool is_time(const struct series *s)
{
	return !strcmp(s->unit, "ns") || !strcmp(s->unit, "us") || !strcmp(s->unit, "ms");
}

static const char *verdict(const struct series *before, const struct series *after)
{
	int differ = series_differ(after, before);

	/* A number that is counted, not timed, is the same in every run: one sample is enough. */
	if (before->n == 1 && after->n == 1 && !is_time(before))
		differ = (after->samples[0] > before->samples[0]) -
			 (after->samples[0] < before->samples[0]);
	if (differ == 0)
		return "no difference shown";
	if (is_time(before))
		return differ < 0 ? "faster" : "slower";
	return differ < 0 ? "less" : "more";
}

static void print_spread(const struct series *s)
{
	struct spread spread = spread_of(s->samples, s->n);
	char box[40];

	snprintf(box, sizeof box, "(%.2f-%.2f)", spread.low, spread.high);
	printf(" %10.2f %-21s", spread.median, box);
}

static void print_ratio(double after, double before)
{
	if (before > 0)
		printf(" %7.3f", after / before);
	else
		printf(" %7s", "-");
}

static const char *measured_in(const struct series *before, const struct series *after)
{
	if (before->n)
		return "the first only";
	return after->n ? "the second only" : "neither";
}

static void print_pair(const char *name, const json_t *old, const json_t *new)
{
	struct series before, after;
	bool both = take(old, &before);

	both = take(new, &after) && both;
	printf("%-32s", name);
	if (both) {
		print_spread(&before);
		print_spread(&after);
		print_ratio(spread_of(after.samples, after.n).median,
			    spread_of(before.samples, before.n).median);
		printf(" %-6s %s\n", before.unit, verdict(&before, &after));
	} else {
		printf(" measured in %s\n", measured_in(&before, &after));
	}
	free(before.samples);
	free(after.samples);
}

static void print_head(const char *path, const json_t *root)
{
	const json_t *machine = json_object_get(root, "machine");

	printf("%s: %s, %s, load %.2f\n", path, text_of(root, "library"),
	       text_of(machine, "release"), json_number_value(json_object_get(machine, "load")));
}

int main(int argc, char *argv[])
{
	json_t *before, *after, *value;
	size_t i;

	if (argc != 3) {
		fputs("usage: compare BEFORE AFTER\n", stderr);
		return 2;
	}
	before = load(argv[1]);
	after = before ? load(argv[2]) : NULL;
	if (!after)
		return 1;
	print_head(argv[1], before);
	print_head(argv[2], after);
	printf("\n%-32s %10s %-21s %10s %-21s %7s %s\n", "series", "median", "(25 %-75 %)",
	       "median", "(25 %-75 %)", "ratio", "unit");
	json_array_foreach(json_object_get(before, "series"), i, value)
		print_pair(text_of(value, "name"), value, find(after, text_of(value, "name")));
	json_array_foreach(json_object_get(after, "series"), i, value)
		if (!find(before, text_of(value, "name")))
			print_pair(text_of(value, "name"), NULL, value);
	json_decref(before);
	json_decref(after);
	return fflush(stdout) ? 1 : 0;
}

#else

int main(void)
{
	fputs("compare: built without jansson, which JSON needs\n", stderr);
	return 1;
}

#endif
