/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "alternate.h"
#include "draw.h"
#include "letters.h"
#include "log.h"
#include "progress.h"
#include "raw-clock.h"
#include "signals.h"
#include "result/settle.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The padding is below this: a page, which is how far a stack moves within what caches can tell. */
#define PADDING 4096

/* The steps of the two clocks: wait4(2) has microseconds. */
#define CPU_STEP_NS 1000
#define WALL_STEP_NS 1

/* One turn of all sides. */
struct turn {
	struct alternate_values *values;
	size_t *order;
	struct target **targets; /* those of the outcome */
	struct progress progress;
};

static void show(struct turn *turn, const struct outcome *outcome)
{
	const uint64_t ns = raw_clock_ns();
	char text[PROGRESS_COLUMNS + 1] = "";

	if (!progress_is_due(&turn->progress, ns))
		return;
	letters_add(text, sizeof text,
		    "cpucycles-measure: %.1f s: ", (double)(ns - turn->progress.begun_ns) * 1e-9);
	if (outcome->pair)
		letters_add(text, sizeof text, "%zu of %zu, %.*s: ", outcome->number, outcome->all,
			    letters_within(outcome->targets[0].function, 16),
			    outcome->targets[0].function);
	letters_add(text, sizeof text, "%s %zu", outcome->count > 1 ? "pair" : "run",
		    outcome->processes + 1);
	if (!outcome->pair)
		letters_add(text, sizeof text, ", in at most %.1f s",
			    (double)outcome->plan.budget_ns * 1e-9);
	progress_add_so_far(outcome_so_far(outcome), text);
	progress_line(&turn->progress, ns, text);
}

static enum outcome_status run(const struct alternate *alternate, struct turn *turn,
			       const struct outcome *outcome, size_t padding)
{
	for (size_t i = 0; i < outcome->count; i++) {
		const size_t side = turn->order[i];
		enum outcome_status status;

		show(turn, outcome);
		status = alternate->run(alternate->context, side, padding, &turn->values[side]);
		if (status != OUTCOME_OK)
			return status;
	}
	return OUTCOME_OK;
}

static double judged(const struct outcome *outcome, const struct alternate_values *values)
{
	return outcome->wall ? values->wall_ns : values->cpu_ns;
}

/* Nothing but an order and a padding has made a difference between the sides, so the values of
 * equal ones are symmetric about 0, which the signed ranks suppose. */
static void add(struct outcome *outcome, const struct alternate_values values[])
{
	for (size_t i = 0; i < outcome->count; i++) {
		const double ns = judged(outcome, &values[i]);
		struct outcome_piece piece = {
			.result = {
				.size = sizeof piece.result,
				.min = ns,
				.q1 = ns,
				.median = ns,
				.q3 = ns,
				.low = -INFINITY,
				.high = INFINITY,
				.iqm = ns,
				.samples = 1,
				.batch = 1,
				.cycles = NAN,
				.cycles_low = NAN,
				.cycles_high = NAN,
			},
			.log_ratio = log(ns / judged(outcome, &values[0])),
			.mean = outcome->wall ? values[i].cpu_ns : values[i].wall_ns,
			.memory = values[i].memory,
		};

		for (size_t event = 0; event < OUTCOME_COUNTS; event++)
			piece.events[event] = NAN;
		outcome_add_piece(outcome, i, &piece);
	}
	outcome_add(outcome, &(struct outcome_part){ 0 });
}

/* What the sides are measured by. */
static void describe(struct outcome *outcome)
{
	outcome->opened = true;
	snprintf(outcome->counter, sizeof outcome->counter, "%s",
		 outcome->wall ? "wall-time" : "cpu-time");
	outcome->info = (struct cpucycles_counter_info){
		.size = sizeof outcome->info,
		.counter = outcome->counter,
		.unit = CPUCYCLES_UNIT_NS,
		.step = outcome->wall ? WALL_STEP_NS : CPU_STEP_NS,
		.hz = 1000000000,
	};
}

/* Whether there is to be one more pair. */
static bool goes_on(struct outcome *outcome)
{
	const uint64_t samples = outcome->plan.samples;

	return !outcome_knows_enough(outcome) && outcome->processes < outcome_most(outcome) &&
	       (samples == 0 || outcome->processes < samples) &&
	       outcome->elapsed_ns < outcome->plan.budget_ns;
}

static enum outcome_status measure(const struct alternate *alternate, struct turn *turn,
				   struct outcome *outcome)
{
	const uint64_t begun_ns = raw_clock_ns();
	enum outcome_status status;

	turn->progress.begun_ns = outcome->begun_ns ? outcome->begun_ns : begun_ns;
	/* The files are in memory after this, as they are in all other runs. */
	status = run(alternate, turn, outcome, 0);
	while (status == OUTCOME_OK) {
		uint64_t state = draw_begin(outcome->plan.seed, outcome->processes);
		const size_t padding = draw_below(PADDING, &state);

		draw_shuffle(turn->order, outcome->count, &state);
		status = run(alternate, turn, outcome, padding);
		if (status == OUTCOME_OK)
			add(outcome, turn->values);
		outcome->elapsed_ns = raw_clock_ns() - begun_ns;
		if (status == OUTCOME_OK && signals_asked())
			status = OUTCOME_INTERRUPTED;
		if (status == OUTCOME_OK && !goes_on(outcome))
			break;
	}
	progress_clear(&turn->progress);
	return status;
}

enum outcome_status alternate_run(const struct alternate *alternate, struct target targets[],
				  size_t n, struct outcome *outcome)
{
	enum outcome_status status = OUTCOME_FAILED;
	struct turn turn = {
		.values = calloc(n, sizeof *turn.values),
		.order = calloc(n, sizeof *turn.order),
		.targets = calloc(n, sizeof(struct target *)),
	};

	outcome->targets = targets;
	outcome->targets_count = n;
	for (size_t i = 0; turn.order && turn.targets && i < n; i++) {
		turn.order[i] = i;
		turn.targets[i] = &targets[i];
	}
	if (!turn.values || !turn.order || !turn.targets ||
	    outcome_begin(outcome, turn.targets, n)) {
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	} else {
		describe(outcome);
		status = measure(alternate, &turn, outcome);
		outcome->interrupted = status == OUTCOME_INTERRUPTED;
		if (outcome->processes == 0)
			outcome_begin(outcome, NULL, 0);
		else if (outcome->looked < outcome->processes)
			outcome_settle(outcome);
	}
	free(turn.values);
	free(turn.order);
	free(turn.targets);
	return status;
}
