/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "outcome.h"
#include "judge.h"
#include "reason.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *outcome_unit(const struct outcome *outcome)
{
	return judge_unit(outcome->info.unit);
}

/* What the child knows of one event. */
static void fill_event(struct outcome_event *event, const struct cpucycles_meter *meter,
		       size_t number)
{
	event->info.size = sizeof event->info;
	event->reason.size = sizeof event->reason;
	event->error = judge_event_info(&meter->run, number, &event->info, &event->reason);
	if (number != CPUCYCLES_EVENT_CYCLES)
		event->kind = events_kind(&meter->events.of[number].event.ask);
}

static void fill_events(struct outcome *outcome, const struct cpucycles_meter *meter)
{
	outcome->events_count = meter->run.events ? meter->events.n : 0;
	for (size_t i = 0; i < outcome->events_count; i++)
		fill_event(&outcome->events[i], meter, i);
	if (outcome->events_count)
		fill_event(&outcome->events[OUTCOME_CYCLES], meter, CPUCYCLES_EVENT_CYCLES);
}

/* Not a number: there is none. */
static double count_of(const struct cpucycles_meter *meter, size_t i, size_t event)
{
	double count;

	return judge_event(&meter->run, i, event, &count) ? NAN : count;
}

/* Make the mean over n processes from that over n - 1 and one more. */
static void average(double *mean, size_t n, double next)
{
	*mean = n == 1 ? next : *mean + (next - *mean) / (double)n;
}

static void count(struct outcome_piece *piece, const struct cpucycles_meter *meter, size_t i)
{
	const size_t events = meter->run.events ? meter->events.n : 0;

	for (size_t event = 0; event < events; event++)
		piece->events[event] = count_of(meter, i, event);
	piece->events[OUTCOME_CYCLES] = count_of(meter, i, CPUCYCLES_EVENT_CYCLES);
	piece->events[OUTCOME_TICKS] = count_of(meter, i, CPUCYCLES_EVENT_TSC);
}

/* What a process has measured of a function, which was its work number i; the first function was
 * work number `baseline`. */
static int judge_piece(struct outcome_piece *piece, const struct cpucycles_meter *meter, size_t i,
		       size_t baseline)
{
	struct judge_findings findings;
	const int error = judge_find(&meter->run, &meter->source, &meter->instrument, i, &findings);

	if (error)
		return error;
	piece->result = findings.result;
	piece->mean = findings.mean;
	piece->renewed = meter->run.tracks[i].work.before;
	piece->bytes = meter->run.tracks[i].work.bytes;
	judge_warn(&findings, &piece->warnings);
	count(piece, meter, i);
	piece->log_ratio = judge_log_ratio(&meter->run, i, baseline);
	return 0;
}

/* Add what process number p has measured. */
static void add_piece(struct outcome_function *function, size_t p,
		      const struct outcome_piece *piece)
{
	function->results[p] = piece->result;
	function->result.samples += piece->result.samples;
	function->renewed = piece->renewed;
	function->log_ratios[p] = piece->log_ratio;
	function->means[p] = piece->mean;
	judge_add_warnings(&function->warnings, &piece->warnings);
	for (size_t event = 0; event < OUTCOME_COUNTS; event++)
		average(&function->events[event], p + 1, piece->events[event]);
}

/* Whether what the child has left in two places agrees. A function that writes at random changes
 * one of them or makes nonsense of both. */
static bool agree(const struct child_shared *shared, const struct cpucycles_meter *meter)
{
	const struct cpucycles_counter_info *info = &shared->info;

	for (size_t i = 0; i == 0 || shared->counter[i]; i++)
		if (i == CHILD_NAME - 1 || !isalnum((unsigned char)shared->counter[i]))
			if (i == 0 || i == CHILD_NAME - 1 || shared->counter[i] != '-')
				return false;
	return info->unit == meter->source.unit && info->hz == meter->source.hz &&
	       info->hz_ppm == meter->source.hz_ppm && info->step == meter->instrument.step &&
	       info->step > 0 && isfinite(info->cost) && isfinite(info->noise) &&
	       isfinite(meter->instrument.cost) && meter->source.units > 0;
}

int outcome_adopt(const struct child_job *job, const struct child_memory *memory, size_t rounds,
		  struct cpucycles_meter **meter)
{
	*meter = NULL;
	if (!memory->shared->opened)
		return -ENODATA;
	*meter = calloc(1, memory->meter_bytes);
	if (!*meter)
		return -ENOMEM;
	if (!memory->shared->copied && meter_adopt(*meter, memory->meter, &job->options, rounds) &&
	    agree(memory->shared, *meter))
		return 0;
	free(*meter);
	*meter = NULL;
	return -EBADMSG;
}

void outcome_counter(struct outcome *outcome, const struct child_job *job,
		     const struct child_memory *memory)
{
	if (outcome->first || outcome_adopt(job, memory, 0, &outcome->first))
		return;
	outcome->opened = true;
	outcome->info = memory->shared->info;
	outcome->next_best = memory->shared->next_best;
	reason_tidy(&outcome->next_best);
	memcpy(outcome->counter, memory->shared->counter, sizeof outcome->counter - 1);
	outcome->info.counter = outcome->counter;
	fill_events(outcome, outcome->first);
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

/* Cycles that the meter itself counts are those of its counter: of user mode, where the PMU can
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

const char *outcome_ending(const struct outcome outcomes[], size_t n)
{
	bool interrupted = false, any = false;

	for (size_t i = 0; i < n; i++) {
		interrupted |= outcomes[i].interrupted;
		any |= outcomes[i].count > 0;
	}
	if (!interrupted)
		return NULL;
	return any ? "Interrupted: this is what there was." :
		     "Interrupted before there was a sample.";
}

double outcome_ns_per_unit(const struct outcome *outcome, double *error)
{
	return judge_ns_per_unit(&outcome->time, outcome->info.unit, outcome->info.hz, error);
}

double outcome_ns(const struct outcome *outcome, double units)
{
	double error;

	return units * outcome_ns_per_unit(outcome, &error);
}

const struct outcome_function *outcome_function_of(const struct outcome *outcome,
						   const struct target *target)
{
	for (size_t i = 0; i < outcome->count; i++)
		if (outcome->functions[i].target == target)
			return &outcome->functions[i];
	return NULL;
}

const char *outcome_modes(const struct cpucycles_event_info *info)
{
	if (info->user && info->kernel)
		return "user mode and kernel";
	return info->kernel ? "kernel" : "user mode";
}

int outcome_begin(struct outcome *outcome, struct target *const targets[], size_t n)
{
	free(outcome->functions);
	outcome->count = outcome->processes = outcome->looked = 0;
	outcome->sliced_ns = 0;
	outcome->looks = 0;
	outcome->time = (struct judge_time){ 0 };
	outcome->functions = calloc(n + 1, sizeof *outcome->functions);
	if (!outcome->functions)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		outcome->functions[i].target = targets[i];
	outcome->count = n;
	/* What a function has made void that is left out now counts again. */
	if (outcome->first)
		fill_events(outcome, outcome->first);
	return 0;
}

size_t outcome_work(const struct outcome *outcome, const struct child_job *job, size_t i)
{
	size_t work = 0;

	while (job->targets[work] != outcome->functions[i].target)
		work++;
	return work;
}

size_t outcome_part_bytes(const struct outcome *outcome)
{
	return sizeof(struct outcome_part) + outcome->count * sizeof(struct outcome_piece);
}

int outcome_judge(const struct outcome *outcome, const struct child_job *job,
		  const struct cpucycles_meter *meter, struct outcome_part *part)
{
	struct judge_findings findings;
	int error = 0;

	if (meter->run.works != (job->n ? job->n : 1) || meter->run.rounds == 0)
		return -ENODATA;
	/* The check's own work. */
	if (!job->n && !judge_find(&meter->run, &meter->source, &meter->instrument, 0, &findings))
		judge_warn(&findings, &part->warnings);
	part->chance = meter->run.error;
	part->events_error = judge_events_lost(&meter->run, &part->events_reason);
	judge_add_time(&meter->run, &meter->source, &meter->instrument, &part->time);
	for (size_t i = 0; i < outcome->count && !error; i++)
		error = judge_piece(&part->pieces[i], meter, outcome_work(outcome, job, i),
				    outcome_work(outcome, job, 0));
	return error;
}

static void make_void(struct outcome_event *event, const struct outcome_part *part)
{
	if (event->error)
		return;
	event->error = part->events_error;
	reason_say(&event->reason, part->events_reason.error, "%.60s: %s", event->info.name,
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
	const size_t p = outcome->processes;

	if (p == OUTCOME_PROCESSES)
		return;
	judge_add_warnings(&outcome->warnings, &part->warnings);
	if (part->events_error)
		make_events_void(outcome, part);
	for (size_t i = 0; i < outcome->count; i++)
		add_piece(&outcome->functions[i], p, &part->pieces[i]);
	outcome->time.units += part->time.units;
	outcome->time.ns += part->time.ns;
	outcome->time.ns_error += part->time.ns_error;
	outcome->error = part->chance;
	outcome->processes++;
}

void outcome_free(struct outcome *outcome)
{
	free(outcome->functions);
	free(outcome->first);
}
