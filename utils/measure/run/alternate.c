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
	struct target **targets;     /* those of the outcome */
	struct counts_values counts; /* the least that a run had */
	struct progress progress;
};

static void show(struct turn *turn, const struct outcome *outcome)
{
	const uint64_t ns = raw_clock_ns();
	char text[PROGRESS_COLUMNS + 1];

	if (!progress_is_due(&turn->progress, ns))
		return;
	progress_begin_text(text, ns - turn->progress.begun_ns,
			    outcome->pair ? outcome->targets[0].function : NULL, outcome->number,
			    outcome->all);
	letters_add(text, sizeof text, "%s %zu", outcome->count > 1 ? "pair" : "run",
		    outcome->layouts + 1);
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
	if (outcome->cycles)
		return values->counts.cycles;
	return outcome->wall ? values->wall_ns : values->cpu_ns;
}

/* What was counted in a run, beside what is judged. */
static void add_counts(const struct outcome *outcome, const struct counts_values *counts,
		       struct outcome_piece *piece)
{
	for (size_t event = 0; event < OUTCOME_COUNTS; event++)
		piece->events[event] = NAN;
	for (size_t event = 0; event < outcome->events_count; event++)
		piece->events[event] = outcome->events[event].kind == EVENTS_INSTRUCTIONS ?
					       counts->instructions :
					       counts->cycles;
	if (!outcome->cycles)
		return;
	piece->result.cycles = piece->events[OUTCOME_CYCLES] = counts->cycles;
	piece->result.cycles_from = CPUCYCLES_CYCLES_COUNTER;
}

/* Nothing but an order and a padding has made a difference between the sides, so the values of
 * equal ones are symmetric about 0, which the signed ranks suppose. */
static void add_turn(struct outcome *outcome, const struct alternate_values values[])
{
	struct outcome_part part = { 0 };

	for (size_t i = 0; i < outcome->count; i++) {
		const double figure = judged(outcome, &values[i]);
		struct outcome_piece piece = {
			.result = {
				.size = sizeof piece.result,
				.min = figure,
				.q1 = figure,
				.median = figure,
				.q3 = figure,
				.low = -INFINITY,
				.high = INFINITY,
				.iqm = figure,
				.samples = 1,
				.iterations = 1,
				.cycles = NAN,
				.cycles_low = NAN,
				.cycles_high = NAN,
			},
			.log_ratio = log(figure / judged(outcome, &values[0])),
			.mean = outcome->wall ? values[i].cpu_ns : values[i].wall_ns,
			.memory = values[i].memory,
		};

		add_counts(outcome, &values[i].counts, &piece);
		if (outcome->cycles)
			piece.time = (struct judge_time){ figure, values[i].cpu_ns, 0 };
		part.time.units += piece.time.units;
		part.time.ns += piece.time.ns;
		outcome_add_piece(outcome, i, &piece);
	}
	outcome_add(outcome, &part);
}

/* What was counted in all runs of a turn. */
static struct counts_values counted(const struct outcome *outcome,
				    const struct alternate_values values[])
{
	struct counts_values all = { INFINITY, INFINITY, true };

	for (size_t i = 0; i < outcome->count; i++) {
		all.cycles = fmin(all.cycles, values[i].counts.cycles);
		all.instructions = fmin(all.instructions, values[i].counts.instructions);
		all.kernel &= values[i].counts.kernel;
	}
	return all;
}

static void add_event(struct outcome *outcome, enum events_kind kind, const char *name, bool kernel)
{
	outcome->opened_events[outcome->events_count++] = (struct outcome_event){
		.kind = kind,
		.info = { .name = name, .user = true, .kernel = kernel },
	};
}

/* What the sides are measured by: by cycles if these are of all the work, as the CPU time is. */
static void describe(struct outcome *outcome, const struct counts_values *counts)
{
	const bool kernel = counts->kernel, cycles = counts->cycles > 0;

	outcome->opened = true;
	outcome->cycles = cycles && kernel && !outcome->wall;
	outcome->events_count = 0;
	if (cycles && !outcome->cycles)
		add_event(outcome, EVENTS_OTHER, kernel ? "cycles:uk" : "cycles:u", kernel);
	if (counts->instructions > 0)
		add_event(outcome, EVENTS_INSTRUCTIONS,
			  kernel ? "instructions:uk" : "instructions:u", kernel);
	outcome->opened_events[OUTCOME_CYCLES] = (struct outcome_event){
		.error = outcome->cycles ? 0 : -ENODATA,
		.info = { .user = true, .kernel = true },
	};
	snprintf(outcome->counter, sizeof outcome->counter, "%s",
		 outcome->wall   ? "wall-time" :
		 outcome->cycles ? "perf-cycles" :
				   "cpu-time");
	outcome->info = (struct cpucycles_counter_info){
		.size = sizeof outcome->info,
		.counter = outcome->counter,
		.unit = outcome->cycles ? CPUCYCLES_UNIT_CYCLES : CPUCYCLES_UNIT_NS,
		.resolution = outcome->cycles ? 1 :
			      outcome->wall   ? WALL_STEP_NS :
						CPU_STEP_NS,
		.own_thread = outcome->cycles,
		.hz = outcome->cycles ? 0 : 1000000000,
	};
}

/* Begin with what is counted, and forget what was added. */
static enum outcome_status begin(struct turn *turn, struct outcome *outcome, size_t n)
{
	describe(outcome, &turn->counts);
	if (!outcome_begin(outcome, turn->targets, n))
		return OUTCOME_OK;
	log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	return OUTCOME_FAILED;
}

/* Whether a run of this turn lacks a count that all before it had. */
static bool loses(struct turn *turn, const struct outcome *outcome)
{
	const struct counts_values now = counted(outcome, turn->values), before = turn->counts;

	turn->counts.cycles = fmin(before.cycles, now.cycles);
	turn->counts.instructions = fmin(before.instructions, now.instructions);
	turn->counts.kernel &= now.kernel;
	return (turn->counts.cycles > 0) != (before.cycles > 0) ||
	       (turn->counts.instructions > 0) != (before.instructions > 0) ||
	       turn->counts.kernel != before.kernel;
}

/* Whether there is to be one more pair. */
static bool goes_on(struct outcome *outcome)
{
	const uint64_t samples = outcome->plan.samples;

	return !outcome_knows_enough(outcome) && outcome->layouts < outcome_most(outcome) &&
	       (samples == 0 || outcome->layouts < samples) &&
	       outcome->elapsed_ns < outcome->plan.budget_ns;
}

static enum outcome_status measure_turns(const struct alternate *alternate, struct turn *turn,
					 struct outcome *outcome)
{
	const uint64_t begun_ns = raw_clock_ns();
	enum outcome_status status;

	turn->progress.begun_ns = outcome->begun_ns ? outcome->begun_ns : begun_ns;
	/* The files are in memory after this, as they are in all other runs. */
	status = run(alternate, turn, outcome, 0);
	if (status == OUTCOME_OK) {
		turn->counts = counted(outcome, turn->values);
		status = begin(turn, outcome, outcome->count);
	}
	while (status == OUTCOME_OK) {
		uint64_t state = draw_begin(outcome->plan.seed, outcome->layouts);
		const size_t padding = draw_below(PADDING, &state);

		draw_shuffle(turn->order, outcome->count, &state);
		status = run(alternate, turn, outcome, padding);
		/* Verdicts and figures come from the same runs, so these begin anew. */
		if (status == OUTCOME_OK && loses(turn, outcome))
			status = begin(turn, outcome, outcome->count);
		if (status == OUTCOME_OK)
			add_turn(outcome, turn->values);
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
	if (!turn.values || !turn.order || !turn.targets)
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
	else
		status = begin(&turn, outcome, n);
	if (status == OUTCOME_OK) {
		status = measure_turns(alternate, &turn, outcome);
		outcome->interrupted = status == OUTCOME_INTERRUPTED;
		if (outcome->layouts == 0)
			outcome_begin(outcome, NULL, 0);
		else if (outcome->looked < outcome->layouts)
			outcome_settle(outcome);
	}
	free(turn.values);
	free(turn.order);
	free(turn.targets);
	return status;
}
