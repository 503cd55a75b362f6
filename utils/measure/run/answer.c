/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "answer.h"
#include "judge.h"
#include "reason.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static_assert(CHILD_NAME == OUTCOME_COUNTER, "the name of a counter is copied as it is");

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
	       isfinite(meter->instrument.overhead) && meter->source.units > 0;
}

int answer_adopt(const struct child_job *job, const struct child_memory *memory, size_t rounds,
		 struct cpucycles_meter **meter)
{
	*meter = NULL;
	if (!memory->shared->opened)
		return -ENODATA;
	*meter = calloc(1, memory->meter_bytes);
	if (!*meter)
		return -ENOMEM;
	if (meter_adopt(*meter, memory->meter, &job->options, rounds) &&
	    agree(memory->shared, *meter))
		return 0;
	free(*meter);
	*meter = NULL;
	return -EBADMSG;
}

/* What the child knows of one event. */
static void fill_event(struct outcome_event *event, const struct cpucycles_meter *meter,
		       size_t number)
{
	event->info.size = sizeof event->info;
	event->error = judge_event_info(&meter->run, number, &event->info, &event->reason);
	/* The meter goes, and so does its copy of the name. */
	snprintf(event->name, sizeof event->name, "%s", event->info.name);
	event->info.name = event->name;
	if (number != CPUCYCLES_EVENT_CYCLES)
		event->kind = events_kind(&meter->events.of[number].event.ask);
}

static void fill_events(struct outcome *outcome, const struct cpucycles_meter *meter)
{
	outcome->events_count = meter->run.events ? meter->events.n : 0;
	for (size_t i = 0; i < outcome->events_count; i++)
		fill_event(&outcome->opened_events[i], meter, i);
	if (outcome->events_count)
		fill_event(&outcome->opened_events[OUTCOME_CYCLES], meter, CPUCYCLES_EVENT_CYCLES);
	memcpy(outcome->events, outcome->opened_events, sizeof outcome->events);
}

void answer_counter(const struct child_shared *shared, const struct cpucycles_meter *meter,
		    struct outcome *outcome)
{
	outcome->opened = true;
	outcome->info = shared->info;
	outcome->next_best = shared->next_best;
	reason_tidy(&outcome->next_best);
	memcpy(outcome->counter, shared->counter, sizeof outcome->counter - 1);
	outcome->info.counter = outcome->counter;
	fill_events(outcome, meter);
}

size_t answer_work(const struct outcome *outcome, const struct child_job *job, size_t i)
{
	size_t work = 0;

	while (job->targets[work] != outcome->functions[i].target)
		work++;
	return work;
}

/* Not a number: there is none. */
static double count_of(const struct cpucycles_meter *meter, size_t i, size_t event)
{
	double count;

	return judge_event(&meter->run, i, event, &count) ? NAN : count;
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

int answer_judge(const struct outcome *outcome, const struct child_job *job,
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
		error = judge_piece(&part->pieces[i], meter, answer_work(outcome, job, i),
				    answer_work(outcome, job, 0));
	return error;
}
