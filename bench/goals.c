/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "goals.h"

#include <stdio.h>
#include <string.h>

#define KIB 1024.0

/* The limit of goals that say "the same": two measured values are never equal. */
#define SAME 1.05

/* tests/consistency/readme.sh holds the tables of bench/README.md to these. */
const struct goal goals[] = {
	{ .what = "first call, valid cache : the other library's",
	  .kind = GOAL_RATIO,
	  .series = "first.cached",
	  .beside = "first.against",
	  .limit = 1.0 / 14,
	  .limit_emulated = 1.0 / 500 },
	{ .what = "first call, valid cache: system calls",
	  .kind = GOAL_MOST,
	  .series = "first.cached.calls",
	  .limit = 20 },
	{ .what = "first call, no cache : the other library's",
	  .kind = GOAL_RATIO,
	  .series = "first.none",
	  .beside = "first.against",
	  .limit = 1.0 / 3,
	  .limit_emulated = 1.0 / 20 },
	{ .what = "read of the TSC : RDTSC inline",
	  .kind = GOAL_RATIO,
	  .series = "read.tsc.call",
	  .beside = "read.tsc.inline",
	  .limit = 1.05 },
	{ .what = "read of APERF by RDPRU : RDTSC inline",
	  .kind = GOAL_RATIO,
	  .series = "read.rdpru.call",
	  .beside = "read.rdpru.inline",
	  .limit = 1.15 },
	{ .what = "read of CLOCK_MONOTONIC, scaled : clock_gettime",
	  .kind = GOAL_RATIO,
	  .series = "read.default-monotonic.call",
	  .beside = "read.default-monotonic.clock",
	  .limit = 1.10 },
	{ .what = "read of a perf page : a bare loop over the page",
	  .kind = GOAL_RATIO,
	  .series = "page.call",
	  .beside = "page.bare",
	  .limit = 1.3 },
	{ .what = "fenced read of a perf page : a fenced bare loop",
	  .kind = GOAL_RATIO,
	  .series = "page.fenced.call",
	  .beside = "page.fenced.bare",
	  .limit = 1.3 },
	{ .what = "empty pair of a meter : bare instructions",
	  .kind = GOAL_RATIO,
	  .series = "pair.call",
	  .beside = "pair.bare",
	  .limit = 1.1 },
	{ .what = "first call, valid cache, 1,024 CPUs : 1 CPU",
	  .kind = GOAL_RATIO,
	  .series = "growth.cpus-1024",
	  .beside = "growth.cpus-1",
	  .limit = SAME },
	{ .what = "first call, 50 counters in the cache : 5",
	  .kind = GOAL_RATIO,
	  .series = "growth.counters-50",
	  .beside = "growth.counters-5",
	  .limit = SAME },
	{ .what = "first call, many processes at once : 1",
	  .kind = GOAL_RATIO,
	  .series = "growth.processes-many",
	  .beside = "growth.processes-1",
	  .limit = SAME },
	{ .what = "calibration, full run: ms",
	  .kind = GOAL_MOST,
	  .series = "calibrator.full",
	  .limit = 250 },
	{ .what = "calibration, full run: resident KiB",
	  .kind = GOAL_MOST,
	  .series = "calibrator.full.resident",
	  .limit = 3 * KIB },
	{ .what = "calibration, restamp: ms of CPU",
	  .kind = GOAL_MOST,
	  .series = "calibrator.restamp.cpu",
	  .limit = 10 },
	{ .what = "shared library: bytes of text",
	  .kind = GOAL_MOST,
	  .series = "size.text",
	  .limit = 48 * KIB },
	{ .what = "shared library: relocations at start",
	  .kind = GOAL_MOST,
	  .series = "size.relocations",
	  .limit = 1 },
	{ .what = "allocations by all calls",
	  .kind = GOAL_MOST,
	  .series = "size.allocations",
	  .limit = 0 },
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
