/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Test binaries of Go. The drivers of harnesses have one header. */

#include "config.h"

#include "driver.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FAIL "--- FAIL: "

/* Names of sub-benchmarks are known when they have run, once. On one CPU, no number of CPUs is
 * appended to them. */
static void list(const struct driver_run *run, struct words *command)
{
	words_add(command, run->path);
	words_split(command, "-test.run=^$ -test.bench=. -test.benchtime=1x -test.cpu=1");
}

/* Slashes are between the expressions for a benchmark and its sub-benchmarks. */
static void run(const struct driver_run *run, struct words *command)
{
	words_add(command, run->path);
	words_add(command, "-test.run=^$");
	driver_add_number(command, "-test.benchtime=", run->seconds, "s");
	driver_add_exact(command, "-test.bench=", run->name, "$/^");
}

/* The next line that begins with this. NULL: there is none. */
static const char *find_line(const char *text, const char *beginning)
{
	const size_t length = strlen(beginning);

	while (text && strncmp(text, beginning, length)) {
		const char *const end = strchr(text, '\n');

		text = end ? end + 1 : NULL;
	}
	return text;
}

struct result {
	const char *name;
	size_t length;
	double ns; /* of one iteration */
};

/* The next result in a text. What the benchmark prints itself stands between its name and its
 * time. Returns where the next one may begin; NULL: there is none. */
static const char *next_result(const char *text, struct result *result)
{
	for (const char *at = find_line(text, "Benchmark"), *next; at; at = next) {
		const char *unit = strstr(at, " ns/op"), *number = unit;

		next = find_line(at + 1, "Benchmark");
		if (!unit || (next && next < unit))
			continue;
		while (number > at && (isdigit((unsigned char)number[-1]) || number[-1] == '.'))
			number--;
		*result = (struct result){ at, strcspn(at, " \t\n"), strtod(number, NULL) };
		return unit;
	}
	return NULL;
}

/* A benchmark that fails has a name, too. One whose sub-benchmarks have failed is none. */
static void add_failed(const char *text, struct words *names)
{
	for (const char *at = text; (at = find_line(at, FAIL)); at += strlen(FAIL)) {
		const char *const name = at + strlen(FAIL);
		const size_t length = strcspn(name, " \t\r\n");
		bool whole = true;

		for (size_t i = 0; i < names->n; i++)
			whole &= strncmp(names->list[i], name, length) ||
				 names->list[i][length] != '/';
		if (whole)
			words_take(names, strndup(name, length));
	}
}

static enum driver_answer read_list(const char *text, struct words *names)
{
	struct result result;
	const char *at = text;

	while ((at = next_result(at, &result)))
		words_take(names, strndup(result.name, result.length));
	add_failed(text, names);
	return names->n || find_line(text, "PASS") ? DRIVER_READ : DRIVER_FOREIGN;
}

/* Whether it is the name, perhaps with the number of CPUs after it. */
static bool is_name(const struct result *result, const char *name)
{
	const size_t length = strlen(name);

	if (result->length < length || strncmp(result->name, name, length))
		return false;
	return result->length == length ||
	       (result->name[length] == '-' &&
		strspn(result->name + length + 1, "0123456789") == result->length - length - 1);
}

static enum driver_answer read(const char *text, const char *name, struct driver_time *time,
			       struct reason_text *reason)
{
	const char *failed = find_line(text, FAIL), *at = text;
	struct result result;

	if (failed) {
		failed += strcspn(failed, "\n");
		failed += strspn(failed, " \t\r\n");
		reason_say(reason, 0, "%.*s", (int)strcspn(failed, "\r\n"), failed);
		return DRIVER_FAILED;
	}
	while ((at = next_result(at, &result)))
		if (is_name(&result, name)) {
			*time = (struct driver_time){ NAN, result.ns };
			return DRIVER_READ;
		}
	return find_line(text, "PASS") ? DRIVER_ABSENT : DRIVER_FOREIGN;
}

const struct driver driver_go = {
	.name = "go",
	.complaints = { "panic: ", FAIL },
	.list = list,
	.run = run,
	.read_list = read_list,
	.read = read,
};
