/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The cost of a later call, for each counter that works here, beside the bare instruction or clock
 * that the counter reads. Both are timed in blocks, in turns within one process, in several
 * processes. */

#include "config.h"

#include "sections.h"

#include <stdio.h>
#include <string.h>

/* Code and data have other addresses in each process, which changes a read by some percent. */
#define PROCESSES 20

#define COUNTERS 32
#define NAME_SIZE 48

struct counters {
	char names[COUNTERS][NAME_SIZE];
	size_t n;
};

static bool parse_name(const char *line, char name[NAME_SIZE])
{
	return sscanf(line, "cpucycles tracesetup %*u %47s", name) == 1;
}

static void list_counters(struct bench *bench, struct counters *counters)
{
	const struct command command = {
		.words = { bench->call, "names", bench->library },
		.input = -1,
		.output = -1,
	};
	static struct ended ended;

	if (!spawn_run(bench, &command, &ended))
		return;
	for (char *line = strtok(ended.text, "\n"); line && counters->n < COUNTERS;
	     line = strtok(NULL, "\n"))
		if (parse_name(line, counters->names[counters->n]))
			counters->n++;
}

/* The counters of amd64 read the same registers in the same way as those of x86, so they share the
 * goals: tsc, rdpru. */
static const char *short_name(const char *counter)
{
	const char *dash = strchr(counter, '-');

	return dash && (!strcmp(dash, "-tsc") || !strcmp(dash, "-rdpru")) ? dash + 1 : counter;
}

static void add(struct bench *bench, const char *counter, const char *what, double sample)
{
	char name[SERIES_NAME];

	if (!(sample > 0)) /* call.c knows no inline read for this architecture */
		return;
	snprintf(name, sizeof name, "read.%s.%s", counter, what);
	bench_add(bench, name, "ns", sample);
}

static void take_blocks(struct bench *bench, char *text, const char *counter)
{
	bool ticks = strstr(counter, "tsc") || strstr(counter, "vct") || strstr(counter, "rdpru") ||
		     !strcmp(counter, "against");
	bool clock = strstr(counter, "monotonic");
	double call, in_line, checked, clock_call;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		int n = sscanf(line, "block %lf %lf %lf %lf", &call, &in_line, &checked,
			       &clock_call);

		if (n != 4)
			continue;
		add(bench, counter, "call", call);
		if (ticks) {
			add(bench, counter, "inline", in_line);
			add(bench, counter, "checked", checked);
		}
		if (clock)
			add(bench, counter, "clock", clock_call);
	}
}

/* name: the counter to ask for; NULL: the library's own choice. False: it does not work here. */
static bool measure(struct bench *bench, const char *library, const char *name, const char *label)
{
	char wish[80], blocks[24], calls[24], used[64] = "";
	struct command command = {
		.words = { bench->call, "reads", library, blocks, calls },
		.environment = { name ? wish : NULL, "CPUCYCLES_CACHE=none" },
		.input = -1,
		.output = -1,
	};
	static struct ended ended;

	if (!library)
		return false;
	if (!name)
		command.environment[0] = NULL;
	snprintf(wish, sizeof wish, "CPUCYCLES_COUNTER=%s", name ? name : "");
	snprintf(blocks, sizeof blocks, "%ld", (bench->blocks + PROCESSES - 1) / PROCESSES);
	snprintf(calls, sizeof calls, "%ld", bench->calls);
	if (!spawn_run(bench, &command, &ended) ||
	    sscanf(ended.text, "implementation %63s", used) != 1)
		return false;
	if (name && strcmp(used, name))
		return false;
	take_blocks(bench, ended.text, label);
	return true;
}

/* A program of this folder that times two things in turns, as series NAME.call and NAME.bare. */
struct beside {
	const char *program, *series, *unit;
	char *kind; /* takes what the program says of itself; NULL: nobody asks */
};

static void add_missing(struct bench *bench, const struct beside *b, const char *why)
{
	char name[SERIES_NAME];

	snprintf(name, sizeof name, "%s.call", b->series);
	bench_missing(bench, name, b->unit, "%s", why);
}

static void add_block(struct bench *bench, const struct beside *b, double call, double bare)
{
	char name[SERIES_NAME];

	snprintf(name, sizeof name, "%s.call", b->series);
	bench_add(bench, name, b->unit, call);
	snprintf(name, sizeof name, "%s.bare", b->series);
	bench_add(bench, name, b->unit, bare);
}

static void measure_beside(struct bench *bench, const struct beside *b)
{
	char program[PATH_MAX + 32], blocks[24], calls[24];
	const struct command command = {
		.words = { program, blocks, calls },
		.input = -1,
		.output = -1,
	};
	static struct ended ended;
	double call, bare;
	bool ran;

	snprintf(program, sizeof program, "%s/bench/%s", bench->build, b->program);
	snprintf(blocks, sizeof blocks, "%ld", (bench->blocks + PROCESSES - 1) / PROCESSES);
	snprintf(calls, sizeof calls, "%ld", bench->calls);
	ran = spawn_run(bench, &command, &ended);
	for (char *line = strtok(ended.text, "\n"); line; line = strtok(NULL, "\n")) {
		if (!ran) {
			add_missing(bench, b, line);
			return;
		}
		if (b->kind && !strncmp(line, "kind ", 5))
			snprintf(b->kind, SERIES_WHY, "%s", line + 5);
		if (sscanf(line, "block %lf %lf", &call, &bare) == 2)
			add_block(bench, b, call, bare);
	}
}

void bench_reads(struct bench *bench)
{
	const struct beside page = { "page", "page", "ns", bench->page_kind };
	const struct beside fenced = { "page-fenced", "page.fenced", "ns", NULL };
	const struct beside pair = { "pair", "pair", "ticks", NULL };
	struct counters counters = { .n = 0 };

	list_counters(bench, &counters);
	for (int i = 0; i < PROCESSES; i++) {
		for (size_t j = 0; j < counters.n; j++) {
			const char *name = counters.names[j];

			if (name[0] && !measure(bench, bench->library, name, short_name(name)))
				counters.names[j][0] = 0; /* it does not work here */
		}
		measure(bench, bench->against, NULL, "against");
		measure_beside(bench, &page);
		measure_beside(bench, &fenced);
		measure_beside(bench, &pair);
	}
	if (!bench_find(bench, "read.tsc.call"))
		bench_missing(bench, "read.tsc.call", "ns", "no time-stamp counter here");
	if (!bench_find(bench, "read.rdpru.call"))
		bench_missing(bench, "read.rdpru.call", "ns", "no RDPRU here");
}
