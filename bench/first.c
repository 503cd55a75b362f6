/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The first call in fresh processes. In each round all variants run once, in a random order. */

#include "config.h"

#include "sections.h"

#include <stdio.h>
#include <string.h>

struct variant {
	const char *name;
	struct command command;
	bool left_out; /* the store of series has the reason */
};

#define VARIANTS 4

/* Processes that measure the parts of a first call: page faults, system calls, CPUID. */
#define COST_ROUNDS 50

static struct command first_of(const struct bench *bench, const char *library,
			       const char *environment)
{
	return (struct command){
		.words = { bench->call, "first", library },
		.environment = { environment && *environment ? environment : NULL },
		.input = -1,
		.output = -1,
	};
}

/* Runs the command once and records the system calls of what it times. trace->why: why not. */
static void record(const struct bench *bench, const struct command *command, struct trace *trace)
{
	struct command traced = *command;
	static struct ended ended;
	size_t n = 0;

	memset(trace, 0, sizeof *trace);
	if (bench->runner) {
		snprintf(trace->why, sizeof trace->why,
			 "the emulator's own system calls hide them");
		return;
	}
	while (traced.words[n])
		n++;
	traced.words[n] = "mark";
	traced.trace = trace;
	if (!spawn_run(bench, &traced, &ended) && !trace->why[0])
		spawn_explain(&ended, trace->why);
}

/* Both made the same calls in the same order, with the same errors and the same lengths read. */
static bool same_calls(const struct trace *a, const struct trace *b)
{
	if (a->n != b->n)
		return false;
	for (size_t i = 0; i < a->n; i++) {
		long long x = a->results[i], y = b->results[i];

		if (strcmp(a->names[i], b->names[i]) || (x < 0) != (y < 0))
			return false;
		if (x != y && (x < 0 || strstr(a->names[i], "read")))
			return false;
	}
	return true;
}

static void leave_out(struct bench *bench, struct variant *variant, const char *why)
{
	char name[SERIES_NAME];

	snprintf(name, sizeof name, "first.%s", variant->name);
	bench_missing(bench, name, "us", "%s", why);
	variant->left_out = true;
}

/* Makes the variant that repeats the system calls of a cached first call, and checks it. */
static void plan_bare(struct bench *bench, const struct variant *cached, struct variant *bare)
{
	struct trace *seen = &bench->cached_trace;

	record(bench, &cached->command, seen);
	if (seen->why[0]) {
		leave_out(bench, bare, seen->why);
		return;
	}
	bench_add(bench, "first.cached.calls", "calls", (double)seen->n);
	bare->command = first_of(bench, bench->library, NULL);
	bare->command.words[1] = "bare";
	bare->command.words[3] = seen->text;
	record(bench, &bare->command, &bench->bare_trace);
	if (bench->bare_trace.why[0])
		leave_out(bench, bare, bench->bare_trace.why);
	else if (!same_calls(seen, &bench->bare_trace))
		leave_out(bench, bare, "the bare program was seen to make other system calls");
}

static void count_calls(struct bench *bench, const struct variant *variant, struct trace *seen)
{
	char name[SERIES_NAME];

	if (variant->left_out)
		return;
	snprintf(name, sizeof name, "first.%s.calls", variant->name);
	record(bench, &variant->command, seen);
	/* Only their number is wanted, so a call that plan.c cannot repeat does no harm. */
	if (seen->n > 0)
		bench_add(bench, name, "calls", (double)seen->n);
	else
		bench_missing(bench, name, "calls", "%s", seen->why);
}

static void add(struct bench *bench, const char *variant, const struct answer *answer)
{
	char name[SERIES_NAME];

	snprintf(name, sizeof name, "first.%s", variant);
	bench_add(bench, name, "us", (double)answer->ns / 1e3);
	snprintf(name, sizeof name, "first.%s.faults", variant);
	bench_add(bench, name, "faults", (double)answer->faults);
	bench_add(bench, "clock", "ns", (double)answer->clock);
}

/* The selection has to come from there; NULL: from anywhere. */
static const char *source_of(const char *variant)
{
	if (!strcmp(variant, "cached"))
		return "cache";
	return !strcmp(variant, "none") ? "probe" : NULL;
}

/* False: the process did not do what the variant's name says. */
static bool is_as_named(const char *variant, const struct answer *answer, char why[SERIES_WHY])
{
	const char *source = source_of(variant);

	if (!source || !strcmp(answer->source, source))
		return true;
	snprintf(why, SERIES_WHY, "its selection came from %s (%s), not from %s", answer->source,
		 answer->status, source);
	return false;
}

void bench_import(struct bench *bench, const char *variant, const struct answer *answer)
{
	char name[SERIES_NAME], why[SERIES_WHY];

	if (is_as_named(variant, answer, why)) {
		add(bench, variant, answer);
		return;
	}
	snprintf(name, sizeof name, "first.%s", variant);
	bench_missing(bench, name, "us", "%s", why);
}

static void sample(struct bench *bench, struct variant *variant)
{
	struct answer answer;
	char why[SERIES_WHY];

	if (variant->left_out)
		return;
	if (answer_ask(bench, &variant->command, &answer, why) &&
	    is_as_named(variant->name, &answer, why))
		add(bench, variant->name, &answer);
	else
		leave_out(bench, variant, why);
}

/* The series cost.*: they explain why a first call takes longer than its system calls. */
static void sample_costs(struct bench *bench)
{
	const struct command command = {
		.words = { bench->call, "costs", bench->library },
		.input = -1,
		.output = -1,
	};
	static struct ended ended;
	char name[SERIES_NAME], what[48], why[SERIES_WHY];
	double ns;

	if (!spawn_run(bench, &command, &ended)) {
		spawn_explain(&ended, why);
		bench_missing(bench, "cost.fault-copy", "ns", "%s", why);
		return;
	}
	for (char *line = strtok(ended.text, "\n"); line; line = strtok(NULL, "\n"))
		if (sscanf(line, "cost %47s %lf", what, &ns) == 2) {
			snprintf(name, sizeof name, "cost.%s", what);
			bench_add(bench, name, "ns", ns);
		}
}

static void shuffle(size_t order[], size_t n, uint64_t *state)
{
	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t i = n; i > 1; i--) {
		size_t other = random_next(state) % i, saved = order[i - 1];

		order[i - 1] = order[other];
		order[other] = saved;
	}
}

void bench_first(struct bench *bench)
{
	struct variant variants[VARIANTS] = {
		{ .name = "cached", .command = first_of(bench, bench->library, bench->cache) },
		{ .name = "bare" },
		{ .name = "none",
		  .command = first_of(bench, bench->library, "CPUCYCLES_CACHE=none") },
		{ .name = "against", .command = first_of(bench, bench->against, NULL) },
	};
	uint64_t state = bench->seed | 1;
	size_t order[VARIANTS];

	if (!bench->against)
		leave_out(bench, &variants[3], "no --against");
	plan_bare(bench, &variants[0], &variants[1]);
	count_calls(bench, &variants[2], &bench->none_trace);
	count_calls(bench, &variants[3], &bench->against_trace);
	for (long i = 0; i < bench->rounds; i++) {
		shuffle(order, VARIANTS, &state);
		for (size_t j = 0; j < VARIANTS; j++)
			sample(bench, &variants[order[j]]);
		if (i < COST_ROUNDS)
			sample_costs(bench);
	}
}
