/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "record.h"
#include "judge.h"

#include <math.h>
#include <stdio.h>

size_t record_bytes(const struct child_job *job)
{
	return sizeof(struct record) + job->n * sizeof(struct record_piece);
}

struct record *record_of(const struct child_job *job, const struct child_memory *memory, size_t i)
{
	return (struct record *)((char *)memory->record + i * record_bytes(job));
}

struct record *record_begin(const struct child_job *job, const struct child_memory *memory,
			    size_t i)
{
	struct record *const record = record_of(job, memory, i);

	if (i == 0)
		return record;
	*record = *memory->record;
	record->measured = false;
	record->part = (struct outcome_part){ 0 };
	return record;
}

/* What is known of one event. */
static void fill_event(struct outcome_event *event, const struct cpucycles_meter *meter,
		       size_t number)
{
	event->info.size = sizeof event->info;
	event->error = judge_event_info(&meter->run, number, &event->info, &event->reason);
	snprintf(event->name, sizeof event->name, "%s", event->info.name);
	if (number != CPUCYCLES_EVENT_CYCLES)
		event->kind = events_kind(&meter->events.of[number].event.ask);
}

int record_counter(struct record *record, const struct cpucycles_meter *meter,
		   const struct reason_text *next_best)
{
	int error;

	record->info.size = sizeof record->info;
	error = cpucycles_meter_info(meter, &record->info);
	if (error)
		return error;
	snprintf(record->counter, sizeof record->counter, "%s", record->info.counter);
	record->next_best = *next_best;
	meter_tell(meter, &record->known);
	record->events_count = meter->run.events ? meter->events.n : 0;
	for (size_t i = 0; i < record->events_count; i++)
		fill_event(&record->events[i], meter, i);
	if (record->events_count)
		fill_event(&record->events[OUTCOME_CYCLES], meter, CPUCYCLES_EVENT_CYCLES);
	record->opened = true;
	return 0;
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

/* What is known of work number i; the first function is work number `baseline`. */
static int fill_piece(struct outcome_piece *piece, const struct cpucycles_meter *meter, size_t i,
		      size_t baseline)
{
	const struct judge_findings *findings;
	const int error = meter_findings(meter, i, &findings);

	if (error)
		return error;
	piece->result = findings->result;
	piece->mean = findings->mean;
	piece->renewed = meter->run.tracks[i].work.before;
	piece->bytes = meter->run.tracks[i].work.bytes;
	judge_warn(findings, &piece->warnings);
	count(piece, meter, i);
	piece->log_ratio = judge_log_ratio(&meter->run, i, baseline);
	return 0;
}

static size_t place_of(const struct child_memory *memory, const double samples[])
{
	return (size_t)((const char *)samples - (const char *)memory->map);
}

static void record_leak(const struct child_memory *memory)
{
	const struct leak_found *const found = &memory->meter->leak;
	struct record *const record = memory->record;

	record->leak.known = found->known;
	record->leak.moved = found->moved;
	record->leak.cycles_from = found->cycles_from;
	record->leak.took_ns = found->took_ns;
	record->leak.result = found->result;
	record->leak.quantiles = found->quantiles;
	for (size_t group = 0; group < 2; group++) {
		record->leak.kept[group] = found->kept[group];
		record->leak_samples[group] =
			place_of(memory, memory->meter->run.tracks[group].samples);
	}
	record->measured = found->known;
}

void record_run(const struct child_job *job, const struct child_memory *memory)
{
	struct cpucycles_meter *const meter = memory->meter;
	struct record *const record = memory->record;
	const struct judge_findings *findings;

	/* A run measures the overhead again. */
	meter_tell(meter, &record->known);
	if (child_tests_leak(job)) {
		record_leak(memory);
		return;
	}
	meter_judge(meter);
	/* The check's own work. */
	if (!job->n && !meter_findings(meter, 0, &findings))
		judge_warn(findings, &record->part.warnings);
	record->part.events_error = judge_events_lost(&meter->run, &record->part.events_reason);
	judge_add_time(&meter->run, &meter->source, &meter->instrument, &record->part.time);
	record->part.slow_units_per_cycle = judge_slow_units_per_cycle(&meter->run);
	record->places = meter->run.places;
	record->samples = meter->run.rounds * meter->run.places;
	for (size_t i = 0; i < job->n; i++) {
		const size_t work = child_work_of(job, i);

		memory->shared->which = i;
		if (fill_piece(&record->pieces[i].numbers, meter, work, child_work_of(job, 0)))
			return;
		record->pieces[i].samples = place_of(memory, meter->run.tracks[work].samples);
	}
	record->measured = true;
}
