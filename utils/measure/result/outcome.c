/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "outcome.h"
#include "judge.h"
#include "reason.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_unit(const struct outcome *outcome)
{
	return judge_unit(outcome->info.unit);
}

static void add_time(struct judge_time *all, const struct judge_time *one)
{
	all->units += one->units;
	all->ns += one->ns;
	all->ns_error += one->ns_error;
}

/* Make the mean over n layouts from that over n - 1 and one more. */
static void average(double *mean, size_t n, double next)
{
	*mean = n == 1 ? next : *mean + (next - *mean) / (double)n;
}

void outcome_add_piece(struct outcome *outcome, size_t i, const struct outcome_piece *piece)
{
	struct outcome_function *const function = &outcome->functions[i];
	const size_t p = outcome->layouts;

	function->results[p] = piece->result;
	function->measured.result.samples += piece->result.samples;
	function->measured.renewed = piece->renewed;
	function->log_ratios[p] = piece->log_ratio;
	function->means[p] = piece->mean;
	function->measured.memory = fmax(function->measured.memory, piece->memory);
	add_time(&function->time, &piece->time);
	judge_add_warnings(&function->measured.warnings, &piece->warnings);
	for (size_t event = 0; event < OUTCOME_COUNTS; event++)
		average(&function->events[event], p + 1, piece->events[event]);
}

bool outcome_lacks_events(const struct outcome *outcome)
{
	for (size_t i = 0; i < outcome->events_count; i++)
		if (outcome->events[i].error)
			return true;
	return false;
}

const struct outcome_event *outcome_event(const struct outcome outcomes[], size_t n, size_t i,
					  bool counted)
{
	for (size_t k = 0; k < n; k++)
		if (outcomes[k].events_count && counted == !outcomes[k].events[i].error)
			return &outcomes[k].events[i];
	return NULL;
}

/* The number of the instructions among the events, or events_count: they were not counted. */
static size_t find_instructions(const struct outcome *outcome)
{
	size_t i = 0;

	while (i < outcome->events_count &&
	       (outcome->events[i].kind != EVENTS_INSTRUCTIONS || outcome->events[i].error))
		i++;
	return i;
}

static bool in_same_modes(const struct outcome_event *a, const struct outcome_event *b)
{
	return a->info.user == b->info.user && a->info.kernel == b->info.kernel;
}

/* Cycles that the meter itself counts come from its counter: of user mode, where the PMU can
 * tell that apart, as it can for the instructions then. */
static bool cycles_fit(const struct outcome *outcome, size_t instructions)
{
	return outcome->events[OUTCOME_CYCLES].error ?
		       !outcome->events[instructions].info.kernel :
		       in_same_modes(&outcome->events[instructions],
				     &outcome->events[OUTCOME_CYCLES]);
}

double outcome_instructions_per_cycle(const struct outcome *outcome,
				      const struct outcome_function *function)
{
	const double cycles = function->events[OUTCOME_CYCLES];
	const size_t i = find_instructions(outcome);

	if (i == outcome->events_count || !(cycles > 0) || !cycles_fit(outcome, i))
		return NAN;
	return function->events[i] / cycles;
}

double outcome_per_thousand_instructions(const struct outcome *outcome,
					 const struct outcome_function *function, size_t event)
{
	const size_t i = find_instructions(outcome);

	if (i == outcome->events_count || outcome->events[event].error ||
	    outcome->events[event].kind != EVENTS_MISSES || !(function->events[i] > 0) ||
	    !in_same_modes(&outcome->events[i], &outcome->events[event]))
		return NAN;
	return function->events[event] * 1000 / function->events[i];
}

const struct outcome *outcome_opened(const struct outcome outcomes[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (outcomes[i].opened)
			return &outcomes[i];
	return &outcomes[0];
}

double outcome_ns_per_unit(const struct outcome *outcome, const struct outcome_function *function,
			   double *error)
{
	const bool own = function && function->time.units > 0;

	return judge_ns_per_unit(own ? &function->time : &outcome->time, outcome->info.unit,
				 outcome->info.hz, error);
}

double outcome_ns(const struct outcome *outcome, const struct outcome_function *function,
		  double units)
{
	double error;

	return units * outcome_ns_per_unit(outcome, function, &error);
}

const struct outcome_function *outcome_function_of(const struct outcome *outcome,
						   const struct target *target)
{
	for (size_t i = 0; i < outcome->count; i++)
		if (outcome->functions[i].target == target)
			return &outcome->functions[i];
	return NULL;
}

bool outcome_has_parameters(const struct outcome *outcome)
{
	for (size_t i = 0; i < outcome->targets_count; i++)
		if (outcome->targets[i].state == TARGET_PARAMETERS)
			return true;
	return false;
}

bool outcome_is_left_out(const struct outcome *outcome)
{
	size_t failed = 0; /* when they were called */

	if (outcome_has_parameters(outcome))
		return outcome->pair && !outcome->named;
	for (size_t i = 0; i < outcome->targets_count; i++)
		failed += outcome->targets[i].state != TARGET_MEASURED &&
			  outcome->targets[i].state != TARGET_NOT_LINKED;
	return outcome->pair && !outcome->named && failed > 0 && failed == outcome->targets_count;
}

int outcome_begin(struct outcome *outcome, struct target *const targets[], size_t n)
{
	free(outcome->functions);
	outcome->count = outcome->layouts = outcome->slow = outcome->looked = 0;
	outcome->per_process = 1;
	outcome->attempts = 0;
	outcome->elapsed_ns = 0;
	outcome->slow_units_per_cycle = 0;
	outcome->sliced_ns = 0;
	outcome->looks = 0;
	outcome->decided = false;
	outcome->alpha = outcome->plan.alpha > 0 ? outcome->plan.alpha : VERDICT_ALPHA;
	outcome->time = (struct judge_time){ 0 };
	outcome->functions = calloc(n + 1, sizeof *outcome->functions);
	if (!outcome->functions)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		outcome->functions[i].target = targets[i];
	outcome->count = n;
	/* What a function has made void that is left out now counts again. */
	memcpy(outcome->events, outcome->opened_events, sizeof outcome->events);
	return 0;
}

static void make_void(struct outcome_event *event, const struct outcome_part *part)
{
	if (event->error)
		return;
	event->error = part->events_error;
	reason_say(&event->reason, part->events_reason.error, "%s: %s", event->info.name,
		   part->events_reason.what);
	reason_remedy(&event->reason, "%s", part->events_reason.remedy);
}

/* One process without events makes them void in all, as one sample does in a process. */
static void make_events_void(struct outcome *outcome, const struct outcome_part *part)
{
	for (size_t i = 0; i < outcome->events_count; i++)
		make_void(&outcome->events[i], part);
	make_void(&outcome->events[OUTCOME_CYCLES], part);
}

void outcome_add(struct outcome *outcome, const struct outcome_part *part)
{
	judge_add_warnings(&outcome->warnings, &part->warnings);
	if (part->events_error)
		make_events_void(outcome, part);
	add_time(&outcome->time, &part->time);
	outcome->layouts++;
}

void outcome_free(struct outcome *outcome)
{
	free(outcome->functions);
	free(outcome->leak_times[0]);
	free(outcome->leak_times[1]);
}
