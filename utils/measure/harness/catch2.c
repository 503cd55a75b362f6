/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The drivers of harnesses have one header. */

#include "config.h"

#include "driver.h"
#include "xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of test cases, sections and benchmarks in each other. */
#define DEPTH 16

/* A sample takes some 0.1 ms, or one iteration if that takes longer. More samples than this are not
 * taken by default either. */
#define SAMPLES_PER_SECOND 10000
#define SAMPLES_MOST 100

static void begin(const struct driver_run *run, double samples, struct words *command)
{
	words_add(command, run->path);
	words_split(command, "-r xml --benchmark-no-analysis --benchmark-warmup-time 10");
	driver_add_number(command,
			  "--benchmark-samples=", floor(fmin(fmax(samples, 1), SAMPLES_MOST)), "");
	words_take(command, words_join("--out=", run->result, ""));
}

/* The names of benchmarks are known when they have run. Hidden tests do not run, but for those that
 * are hidden because they are benchmarks. */
static void list(const struct driver_run *run, struct words *command)
{
	begin(run, 1, command);
	words_add(command, "~[.],[!benchmark]");
}

/* Add a part of a test's name to a list of tests. Returns where the list ends. */
static char *add_test(char *to, const char *name, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (strchr("\\,[]\"~", name[i]))
			*to++ = '\\';
		*to++ = name[i];
	}
	return strcpy(to, ",") + 1;
}

/* The test cases that the name may begin with: a test case may have slashes in its own name. A
 * test case runs with all its benchmarks. */
static void run(const struct driver_run *run, struct words *command)
{
	const size_t length = strlen(run->name) + 1;
	char *const tests = malloc(2 * length * length), *to = tests;

	begin(run, run->seconds * SAMPLES_PER_SECOND, command);
	for (size_t n = 0; tests && n < length; n++)
		if (run->name[n] == '/')
			to = add_test(to, run->name, n);
	words_take(command, tests);
}

/* A benchmark, with the names of all that it is in. */
struct reader {
	const char *at; /* in the text */
	char name[4096];
	size_t depth, ends[DEPTH]; /* where the name of each outer element ends */
	double ns;                 /* not a number: it has failed */
	char why[256];
};

/* Where the name of the outer element ends. */
static char *end_of_name(struct reader *reader)
{
	return reader->name + (reader->depth ? reader->ends[reader->depth - 1] : 0);
}

static void open_name(struct reader *reader)
{
	char *to = end_of_name(reader);

	if (reader->depth == DEPTH || to + 2 > reader->name + sizeof reader->name)
		return;
	if (reader->depth)
		*to++ = '/';
	xml_attribute(reader->at, "name", to, (size_t)(reader->name + sizeof reader->name - to));
	reader->ends[reader->depth++] = strlen(reader->name);
}

static void close_name(struct reader *reader)
{
	reader->depth -= reader->depth > 0;
	*end_of_name(reader) = 0;
}

/* Go to the next benchmark. False: there is none. */
static bool next(struct reader *reader)
{
	static const char *const outer[] = { "TestCase", "Section", "BenchmarkResults" };
	char number[64];

	while ((reader->at = xml_next(reader->at))) {
		for (size_t i = 0; i < sizeof outer / sizeof outer[0]; i++)
			if (xml_begins(reader->at, outer[i]))
				open_name(reader);
			else if (xml_ends(reader->at, outer[i]))
				close_name(reader);
		reader->why[0] = 0;
		reader->ns = NAN;
		if (xml_begins(reader->at, "failed") &&
		    xml_attribute(reader->at, "message", reader->why, sizeof reader->why))
			return true;
		if (!xml_begins(reader->at, "mean") ||
		    !xml_attribute(reader->at, "value", number, sizeof number))
			continue;
		reader->ns = strtod(number, NULL);
		return true;
	}
	return false;
}

static enum driver_answer read_list(const char *text, struct words *names)
{
	struct reader reader = { .at = text };

	if (!strstr(text, "<Catch"))
		return DRIVER_FOREIGN;
	while (next(&reader))
		words_add(names, reader.name);
	return DRIVER_READ;
}

static enum driver_answer read(const char *text, const char *name, struct driver_time *time,
			       struct reason_text *reason)
{
	struct reader reader = { .at = text };

	if (!strstr(text, "<Catch"))
		return DRIVER_FOREIGN;
	while (next(&reader)) {
		if (strcmp(reader.name, name))
			continue;
		*time = (struct driver_time){ NAN, reader.ns };
		reason_say(reason, 0, "%s", reader.why);
		return *reader.why ? DRIVER_FAILED : DRIVER_READ;
	}
	return DRIVER_ABSENT;
}

const struct driver driver_catch2 = {
	.name = "catch2",
	.lists_in_file = true,
	.runs_in_file = true,
	.list = list,
	.run = run,
	.read_list = read_list,
	.read = read,
};
