/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "goals.h"

#include <stdio.h>
#include <string.h>

#define KIB 1024.0

/* The limit of goals that say "the same": two measured values are never equal. */
#define SAME 1.05

const struct goal goals[] = {
	{ "first call, valid cache : its system calls alone", GOAL_RATIO,
	  "first.cached", "first.bare", 1.3, 0 },
	{ "first call, valid cache : the other library's", GOAL_RATIO,
	  "first.cached", "first.against", 1.0 / 8, 1.0 / 500 },
	{ "first call, no cache : the other library's", GOAL_RATIO,
	  "first.none", "first.against", 1.0 / 3, 1.0 / 20 },
	{ "read of the TSC : RDTSC inline", GOAL_RATIO,
	  "read.tsc.call", "read.tsc.inline", 1.05, 0 },
	{ "read of CLOCK_MONOTONIC, scaled : clock_gettime", GOAL_RATIO,
	  "read.default-monotonic.call", "read.default-monotonic.clock", 1.10, 0 },
	{ "read of a perf page : a bare loop over the page", GOAL_RATIO,
	  "page.call", "page.bare", 1.3, 0 },
	{ "first call, valid cache, 1,024 CPUs : 1 CPU", GOAL_RATIO,
	  "growth.cpus-1024", "growth.cpus-1", SAME, 0 },
	{ "first call, 50 counters in the cache : 5", GOAL_RATIO,
	  "growth.counters-50", "growth.counters-5", SAME, 0 },
	{ "first call, many processes at once : 1", GOAL_RATIO,
	  "growth.processes-many", "growth.processes-1", SAME, 0 },
	{ "calibration, full run: ms", GOAL_MOST, "calibrator.full", NULL, 250, 0 },
	{ "calibration, full run: resident KiB", GOAL_MOST, "calibrator.full.resident", NULL,
	  3 * KIB, 0 },
	{ "calibration, restamp: ms of CPU", GOAL_MOST, "calibrator.restamp.cpu", NULL, 10, 0 },
	{ "shared library: bytes of text", GOAL_MOST, "size.text", NULL, 48 * KIB, 0 },
	{ "shared library: relocations at start", GOAL_MOST, "size.relocations", NULL, 1, 0 },
	{ "allocations by all calls", GOAL_MOST, "size.allocations", NULL, 0, 0 },
};

const size_t goals_count = sizeof goals / sizeof goals[0];

/* Reached or missed only if the whole interval lies on one side of the limit. */
static const char *verdict_of(const struct goal_state *state)
{
	if (state->figure.high <= state->limit)
		return "reached";
	return state->figure.low > state->limit ? "missed" : "not shown";
}

struct goal_state goal_look(const struct bench *bench, const struct goal *goal)
{
	const struct series *a = bench_find(bench, goal->series);
	const struct series *b = goal->beside ? bench_find(bench, goal->beside) : a;
	struct goal_state state = { .verdict = "not measured", .limit = goal->limit };
	double most;

	if (bench->emulated && goal->limit_emulated > 0)
		state.limit = goal->limit_emulated;
	if (!a || !b || a->n == 0 || b->n == 0) {
		const char *why = a && a->why[0] ? a->why : b && b->why[0] ? b->why : "";

		snprintf(state.note, sizeof state.note, "%s", why);
		return state;
	}
	if (goal->kind == GOAL_MOST) {
		most = spread_of(a->samples, a->n).max;
		state.figure = (struct interval){ most, most, most };
	} else {
		state.figure = ratio_of(a, b, bench->seed);
	}
	state.verdict = verdict_of(&state);
	if (!strcmp(state.verdict, "missed") && state.limit > 0)
		snprintf(state.note, sizeof state.note, "by %.0f %%",
			 (state.figure.middle / state.limit - 1) * 100);
	return state;
}
