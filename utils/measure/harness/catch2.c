/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Programs with benchmarks of Catch2. The drivers of harnesses have one header. */

#include "config.h"

#include "driver.h"
#include "xml.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH 16 /* of test cases, sections and benchmarks in each other */

/* A sample takes some 0.1 ms, or longer for an iteration. Catch2 itself takes not more of them. */
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
	char *const tests = calloc(2 * length, length), *to = tests;

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
	size_t depth, ends[DEPTH + 1]; /* of the name of each element, from the outer ones on */
	double ns;                     /* not a number: it has failed */
	char why[256];
};

static void open_name(struct reader *reader)
{
	char *to = reader->name + reader->ends[reader->depth];
	const size_t room = (size_t)(reader->name + sizeof reader->name - to);

	if (reader->depth == DEPTH || room < 2)
		return;
	if (reader->depth)
		*to++ = '/';
	*to = 0;
	xml_attribute(reader->at, "name", to, room - 1);
	reader->ends[++reader->depth] = strlen(reader->name);
}

static void close_name(struct reader *reader)
{
	reader->depth -= reader->depth > 0;
	reader->name[reader->ends[reader->depth]] = 0;
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
		if (xml_begins(reader->at, "mean") &&
		    xml_attribute(reader->at, "value", number, sizeof number)) {
			reader->ns = strtod(number, NULL);
			return true;
		}
	}
	return false;
}

static enum driver_answer read_list(const char *text, struct words *names)
{
	struct reader reader = { .at = text };

	while (next(&reader))
		words_add(names, reader.name);
	return strstr(text, "<Catch") ? DRIVER_READ : DRIVER_FOREIGN;
}

static enum driver_answer read(const char *text, const char *name, struct driver_time *time,
			       struct reason_text *reason)
{
	struct reader reader = { .at = text };

	while (next(&reader)) {
		if (strcmp(reader.name, name))
			continue;
		*time = (struct driver_time){ NAN, reader.ns };
		reason_say(reason, 0, "%s", reader.why);
		return *reader.why ? DRIVER_FAILED : DRIVER_READ;
	}
	return strstr(text, "<Catch") ? DRIVER_ABSENT : DRIVER_FOREIGN;
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
