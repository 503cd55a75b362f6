/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "answer.h"
#include "leak-judge.h"
#include "reason.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A byte that is neither 0 nor 1 is no bool, and must not be read as one. */
static bool is_bool(const bool *value)
{
	unsigned char byte;

	memcpy(&byte, value, sizeof byte);
	return byte <= 1;
}

static bool is_counter_name(const char name[OUTCOME_COUNTER])
{
	size_t n = 0;

	while (n < OUTCOME_COUNTER && (isalnum((unsigned char)name[n]) || name[n] == '-'))
		n++;
	return n > 0 && n < OUTCOME_COUNTER && !name[n];
}

static void tidy_event(struct outcome_event *event)
{
	event->name[sizeof event->name - 1] = 0;
	reason_tidy(&event->reason);
}

/* A number that stands in two places is equal, unless a function has written at random. */
static bool check_counter(struct record *record)
{
	const struct cpucycles_counter_info *const info = &record->info;
	const struct meter_known *const known = &record->known;

	if (!is_bool(&known->known) || !is_bool(&known->next_best) || !is_bool(&known->finest) ||
	    !is_counter_name(record->counter) || info->unit < CPUCYCLES_UNIT_CYCLES ||
	    info->unit > CPUCYCLES_UNIT_NS || !(info->resolution > 0) ||
	    !isfinite(info->overhead) || !isfinite(info->overhead_iqr) ||
	    known->instrument.resolution != info->resolution ||
	    !isfinite(known->instrument.overhead) || record->events_count > EVENTS_MAX)
		return false;
	reason_tidy(&record->next_best);
	for (size_t i = 0; i < record->events_count; i++)
		tidy_event(&record->events[i]);
	tidy_event(&record->events[OUTCOME_CYCLES]);
	return true;
}

/* Whether `samples` doubles lie at `at`. */
static bool are_inside(const struct child_memory *memory, size_t at, size_t samples)
{
	return at % sizeof(double) == 0 && at <= memory->bytes &&
	       samples <= (memory->bytes - at) / sizeof(double);
}

static bool is_cycles_from(int from)
{
	return from >= CPUCYCLES_CYCLES_NONE && from <= CPUCYCLES_CYCLES_TOO_FEW;
}

static bool check_leak(const struct record *record, const struct child_memory *memory)
{
	return is_bool(&record->leak.known) && is_bool(&record->leak.prepared) &&
	       is_bool(&record->leak.moved) && is_cycles_from(record->leak.cycles_from) &&
	       leak_judge_is_sane(&record->leak.result, &record->leak.quantiles) &&
	       are_inside(memory, record->leak_samples[0], record->leak.kept[0]) &&
	       are_inside(memory, record->leak_samples[1], record->leak.kept[1]);
}

/* The names of the warnings are those of this program. */
static bool check_warnings(struct judge_warnings *warnings)
{
	if (warnings->n > JUDGE_WARNINGS)
		return false;
	for (size_t i = 0; i < warnings->n; i++) {
		warnings->list[i].name = judge_warning_name(warnings->list[i].bit);
		if (!warnings->list[i].name)
			return false;
		reason_tidy(&warnings->list[i].reason);
	}
	return true;
}

static bool check_piece(const struct record *record, const struct child_memory *memory,
			struct record_piece *piece)
{
	const struct cpucycles_result *const r = &piece->numbers.result;

	return is_bool(&piece->numbers.renewed) && r->samples == record->samples &&
	       r->iterations >= 1 && r->iterations <= RUN_BATCH_MAX && isfinite(r->min) &&
	       isfinite(r->q1) && isfinite(r->median) && isfinite(r->q3) && isfinite(r->iqm) &&
	       is_cycles_from(r->cycles_from) && r->cycles_interrupted <= r->samples &&
	       isfinite(r->units_per_cycle) && isfinite(piece->numbers.mean) &&
	       check_warnings(&piece->numbers.warnings) &&
	       are_inside(memory, piece->samples, record->samples);
}

static bool check_run(const struct child_job *job, const struct child_memory *memory,
		      struct record *record)
{
	const struct judge_time *const time = &record->part.time;

	if (child_tests_leak(job))
		return check_leak(record, memory);
	if (!isfinite(time->units) || !isfinite(time->ns) || !isfinite(time->ns_error) ||
	    !isfinite(record->part.slow_units_per_cycle) || !check_warnings(&record->part.warnings))
		return false;
	reason_tidy(&record->part.events_reason);
	if (record->samples == 0 || record->places < 1 || record->places > RUN_PLACES_MAX)
		return false;
	for (size_t i = 0; i < job->n; i++)
		if (!check_piece(record, memory, &record->pieces[i]))
			return false;
	return true;
}

static int check(const struct child_job *job, const struct child_memory *memory,
		 struct record *record)
{
	if (!is_bool(&record->opened) || !is_bool(&record->measured))
		return -EBADMSG;
	if (!record->opened)
		return -ENODATA;
	if (!check_counter(record) || (record->measured && !check_run(job, memory, record)))
		return -EBADMSG;
	return 0;
}

int answer_take(const struct child_job *job, const struct child_memory *memory, size_t i,
		struct record **record)
{
	struct record *const r = malloc(record_bytes(job));
	int error;

	*record = NULL;
	if (!r)
		return -ENOMEM;
	memcpy(r, record_of(job, memory, i), record_bytes(job));
	error = check(job, memory, r);
	if (error)
		free(r);
	else
		*record = r;
	return error;
}

void answer_counter(const struct record *record, struct outcome *outcome)
{
	outcome->opened = true;
	outcome->info = record->info;
	outcome->next_best = record->next_best;
	memcpy(outcome->counter, record->counter, sizeof outcome->counter);
	outcome->info.counter = outcome->counter;
	outcome->events_count = record->events_count;
	memcpy(outcome->opened_events, record->events, sizeof outcome->opened_events);
	for (size_t i = 0; i <= OUTCOME_CYCLES; i++)
		outcome->opened_events[i].info.name = outcome->opened_events[i].name;
	memcpy(outcome->events, outcome->opened_events, sizeof outcome->events);
}

static const double *samples_at(const struct child_memory *memory, size_t place)
{
	return (const double *)((const char *)memory->map + place);
}

const double *answer_samples(const struct record *record, const struct child_memory *memory,
			     size_t i)
{
	return samples_at(memory, record->pieces[i].samples);
}

static int add_leak(const struct record *record, const struct child_memory *memory,
		    struct outcome *outcome)
{
	for (size_t group = 0; group < 2; group++) {
		const size_t bytes = record->leak.kept[group] * sizeof(double);
		double *const times = malloc(bytes + 1);

		if (!times)
			return -ENOMEM;
		memcpy(times, samples_at(memory, record->leak_samples[group]), bytes);
		outcome->leak_times[group] = times;
	}
	outcome->leak = record->leak;
	return 0;
}

int answer_add(const struct record *record, const struct child_job *job,
	       const struct child_memory *memory, struct outcome *outcome)
{
	if (child_tests_leak(job))
		return add_leak(record, memory, outcome);
	for (size_t i = 0; i < job->n; i++) {
		outcome_add_piece(outcome, i, &record->pieces[i].numbers);
		job->targets[child_work_of(job, i)]->bytes = record->pieces[i].numbers.bytes;
	}
	outcome_add(outcome, &record->part);
	return 0;
}
