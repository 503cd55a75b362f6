/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "measure-outcome.h"
#include "judge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OUTCOME_ADVICE 200

/* The number of this generic event (perf_event_open(2)). */
#define INSTRUCTIONS 1

/* More samples than this do not fit into memory. */
#define SAMPLES_SENSIBLE 1000000000u

static const struct {
	uint64_t warning;
	const char *name;
} warning_names[OUTCOME_WARNINGS] = {
	{ CPUCYCLES_WARNING_BACKWARDS, "backwards" }, { CPUCYCLES_WARNING_RATE, "rate" },
	{ CPUCYCLES_WARNING_STEP, "step" },           { CPUCYCLES_WARNING_HALVES, "halves" },
	{ CPUCYCLES_WARNING_DRIFT, "drift" },         { CPUCYCLES_WARNING_MOVED, "moved" },
	{ CPUCYCLES_WARNING_FREQUENCY, "frequency" }, { CPUCYCLES_WARNING_CARRYOVER, "carryover" },
};

const char *outcome_unit(const struct outcome *outcome)
{
	return judge_unit(outcome->info.unit);
}

/* The names and sentences of work number i's warnings. */
static void warn(const struct cpucycles_meter *meter, size_t i, uint64_t warnings,
		 struct outcome_warnings *list)
{
	list->n = 0;
	for (size_t w = 0; w < OUTCOME_WARNINGS; w++) {
		struct cpucycles_reason *reason = &list->list[list->n].reason;

		if (!(warnings & warning_names[w].warning))
			continue;
		reason->size = sizeof *reason;
		if (judge_warning(&meter->run, &meter->source, &meter->instrument, i,
				  warning_names[w].warning, reason))
			continue;
		list->list[list->n++].name = warning_names[w].name;
	}
}

/* What the child knows of one event. */
static void fill_event(struct outcome_event *event, const struct cpucycles_meter *meter,
		       size_t number)
{
	const struct event_ask *ask;

	event->info.size = sizeof event->info;
	event->reason.size = sizeof event->reason;
	event->error = judge_event_info(&meter->run, number, &event->info, &event->reason);
	if (number == CPUCYCLES_EVENT_CYCLES)
		return;
	ask = &meter->events.of[number].event.ask;
	event->is_instructions = (ask->source == EVENT_HARDWARE && ask->number == INSTRUCTIONS) ||
				 (ask->source == EVENT_PMU && !strcmp(ask->terms, "instructions"));
	event->is_miss = strstr(ask->text, "miss") || strstr(ask->text, "MISS");
}

static void fill_events(struct outcome *outcome, const struct cpucycles_meter *meter)
{
	outcome->events_count = meter->run.events ? meter->events.n : 0;
	for (size_t i = 0; i < outcome->events_count; i++)
		fill_event(&outcome->events[i], meter, i);
	if (outcome->events_count)
		fill_event(&outcome->cycles, meter, CPUCYCLES_EVENT_CYCLES);
}

static void fill_counts(struct outcome_function *function, const struct cpucycles_meter *meter,
			size_t i)
{
	const size_t n = meter->run.events ? meter->events.n : 0;

	for (size_t event = 0; event < n; event++)
		if (judge_event(&meter->run, i, event, &function->events[event]))
			function->events[event] = NAN;
	if (judge_event(&meter->run, i, CPUCYCLES_EVENT_CYCLES, &function->cycles))
		function->cycles = NAN;
	if (judge_event(&meter->run, i, CPUCYCLES_EVENT_TSC, &function->tsc))
		function->tsc = NAN;
}

static int fill_function(struct outcome_function *function, const struct cpucycles_meter *meter,
			 size_t i)
{
	size_t n;
	int error;

	function->result.size = sizeof function->result;
	error = judge_result(&meter->run, &meter->source, &meter->instrument, i, &function->result);
	if (!error)
		error = judge_samples(&meter->run, i, &function->samples, &n);
	if (error)
		return error;
	warn(meter, i, function->result.warnings, &function->warnings);
	fill_counts(function, meter, i);
	function->verdict.size = sizeof function->verdict;
	function->compared = i > 0 && !judge_verdict(&meter->run, i, &function->verdict);
	return 0;
}

void outcome_counter(struct outcome *outcome, const struct child_memory *memory)
{
	if (!memory->opened)
		return;
	outcome->opened = true;
	outcome->info = memory->info;
	outcome->next_best = memory->next_best;
	fill_events(outcome, memory->meter);
}

bool outcome_lacks_events(const struct outcome *outcome)
{
	for (size_t i = 0; i < outcome->events_count; i++)
		if (outcome->events[i].error)
			return true;
	return false;
}

/* The number of the instructions among the events, or events_count: they were not counted. */
static size_t find_instructions(const struct outcome *outcome)
{
	size_t i = 0;

	while (i < outcome->events_count &&
	       (!outcome->events[i].is_instructions || outcome->events[i].error))
		i++;
	return i;
}

static bool in_same_modes(const struct outcome_event *a, const struct outcome_event *b)
{
	return a->info.user == b->info.user && a->info.kernel == b->info.kernel;
}

/* Cycles that the meter itself counts are those of its counter: of user mode, where the PMU can
 * tell that apart, as it can for the instructions then. */
static bool cycles_fit(const struct outcome *outcome, size_t instructions)
{
	return outcome->cycles.error ?
		       !outcome->events[instructions].info.kernel :
		       in_same_modes(&outcome->events[instructions], &outcome->cycles);
}

double outcome_instructions_per_cycle(const struct outcome *outcome,
				      const struct outcome_function *function)
{
	const size_t i = find_instructions(outcome);

	if (i == outcome->events_count || !(function->cycles > 0) || !cycles_fit(outcome, i))
		return NAN;
	return function->events[i] / function->cycles;
}

double outcome_per_thousand_instructions(const struct outcome *outcome,
					 const struct outcome_function *function, size_t event)
{
	const size_t i = find_instructions(outcome);

	if (i == outcome->events_count || outcome->events[event].error ||
	    !outcome->events[event].is_miss || !(function->events[i] > 0) ||
	    !in_same_modes(&outcome->events[i], &outcome->events[event]))
		return NAN;
	return function->events[event] * 1000 / function->events[i];
}

const char *outcome_modes(const struct cpucycles_event_info *info)
{
	if (info->user && info->kernel)
		return "user mode and kernel";
	return info->kernel ? "kernel" : "user mode";
}

int outcome_fill(struct outcome *outcome, const struct child_job *job, struct child_memory *memory)
{
	const struct cpucycles_meter *meter = memory->meter;

	if (!memory->opened || !meter->run.rounds)
		return -ENODATA;
	outcome->memory = memory;
	if (!job->n) {
		warn(meter, 0, memory->warnings, &outcome->warnings);
		outcome->checked = !outcome->interrupted;
		return 0;
	}
	outcome->functions = calloc(job->n, sizeof *outcome->functions);
	if (!outcome->functions)
		return -ENOMEM;
	for (size_t i = 0; i < job->n; i++) {
		int error = fill_function(&outcome->functions[i], meter, i);

		if (error)
			return error;
		outcome->functions[i].target = job->targets[i];
	}
	outcome->count = job->n;
	outcome->error = meter->run.error;
	outcome->places = meter->run.places;
	return 0;
}

void outcome_free(struct outcome *outcome)
{
	free(outcome->functions);
	child_unmap(outcome->memory);
}

/* What it would take to tell. */
static void cannot_tell(const struct cpucycles_verdict *v, char text[OUTCOME_ADVICE])
{
	if (v->samples_needed > SAMPLES_SENSIBLE)
		snprintf(text, OUTCOME_ADVICE,
			 "It would take more than a billion samples of each.");
	else if (v->samples_needed)
		snprintf(text, OUTCOME_ADVICE,
			 "About %" PRIu64 " samples of each might tell (-n, with a longer -t).",
			 v->samples_needed);
	else if (!isfinite(v->low) || !isfinite(v->high))
		snprintf(text, OUTCOME_ADVICE, "There are too few samples (-n, -t).");
	else if (v->ratio == 1)
		snprintf(text, OUTCOME_ADVICE, "No difference was seen.");
	else
		snprintf(text, OUTCOME_ADVICE,
			 "More samples would not tell: the difference is not above the floor of"
			 " %.3g %%, by which the first function differs from itself.",
			 fabs(v->floor) * 100); /* no -0 */
}

void outcome_sentence(const struct outcome *outcome, size_t i, char text[OUTCOME_TEXT])
{
	const struct cpucycles_verdict *v = &outcome->functions[i].verdict;
	const char *name = outcome->functions[i].target->label;
	const char *first = outcome->functions[0].target->label;
	char figures[160] = "", advice[OUTCOME_ADVICE];

	if (isfinite(v->low) && isfinite(v->high))
		snprintf(figures, sizeof figures,
			 ": it takes %.6g times as long, between %.6g and %.6g", v->ratio, v->low,
			 v->high);
	if (v->verdict != CPUCYCLES_CANNOT_TELL) {
		snprintf(text, OUTCOME_TEXT, "%.400s is %s than %.400s%s.", name,
			 v->verdict == CPUCYCLES_FASTER ? "faster" : "slower", first, figures);
		return;
	}
	cannot_tell(v, advice);
	snprintf(text, OUTCOME_TEXT, "%.300s beside %.300s: cannot tell%s. %s", name, first,
		 figures, advice);
}
