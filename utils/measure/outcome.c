/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "outcome.h"
#include "judge.h"
#include "letters.h"
#include "placement.h"
#include "reason.h"
#include "statistics.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fewer processes than this do not tell a precision: a few means may lie close by chance. */
#define PRECISION_PROCESSES 10

/* The number of this generic event (perf_event_open(2)). */
#define INSTRUCTIONS 1

const char *outcome_unit(const struct outcome *outcome)
{
	return judge_unit(outcome->info.unit);
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
	piece->cycles = count_of(meter, i, CPUCYCLES_EVENT_CYCLES);
	piece->tsc = count_of(meter, i, CPUCYCLES_EVENT_TSC);
}

/* What a process has measured of a function, which was its work number i; the first function was
 * work number `beside`. */
static int judge_piece(struct outcome_piece *piece, const struct cpucycles_meter *meter, size_t i,
		       size_t beside)
{
	struct judge_findings findings;
	const int error = judge_find(&meter->run, &meter->source, &meter->instrument, i, &findings);

	if (error)
		return error;
	piece->result = findings.result;
	piece->renewed = meter->run.tracks[i].work.before;
	piece->bytes = meter->run.tracks[i].work.bytes;
	judge_warn(&findings, &piece->warnings);
	count(piece, meter, i);
	piece->log_ratio = judge_log_ratio(&meter->run, i, beside);
	return 0;
}

/* Add what process number p has measured. */
static void add_piece(struct outcome_function *function, size_t p,
		      const struct outcome_piece *piece, size_t events)
{
	function->results[p] = piece->result;
	function->result.samples += piece->result.samples;
	function->renewed = piece->renewed;
	function->log_ratios[p] = piece->log_ratio;
	judge_add_warnings(&function->warnings, &piece->warnings);
	for (size_t event = 0; event < events; event++)
		average(&function->events[event], p + 1, piece->events[event]);
	average(&function->cycles, p + 1, piece->cycles);
	average(&function->tsc, p + 1, piece->tsc);
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

static const struct outcome_event *event_of(const struct outcome *outcome, size_t i)
{
	return i == EVENTS_MAX ? &outcome->cycles : &outcome->events[i];
}

bool outcome_counts(const struct outcome outcomes[], size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (outcomes[k].events_count && !event_of(&outcomes[k], i)->error)
			return true;
	return false;
}

const struct outcome_event *outcome_lack(const struct outcome outcomes[], size_t n, size_t i)
{
	for (size_t k = 0; k < n; k++)
		if (outcomes[k].events_count && event_of(&outcomes[k], i)->error)
			return event_of(&outcomes[k], i);
	return NULL;
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
	make_void(&outcome->cycles, part);
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
		add_piece(&outcome->functions[i], p, &part->pieces[i], outcome->events_count);
	outcome->time.units += part->time.units;
	outcome->time.ns += part->time.ns;
	outcome->time.ns_error += part->time.ns_error;
	outcome->error = part->chance;
	outcome->processes++;
}

/* The median of one member of the processes' results. */
#define MEDIAN_OF(function, n, member, room) median_of(&(function)->results[0].member, n, room)

static double median_of(const double *first, size_t n, double room[])
{
	for (size_t p = 0; p < n; p++)
		room[p] = *(const double *)((const char *)first +
					    p * sizeof(struct cpucycles_result));
	statistics_sort(room, n);
	return statistics_quantile(room, n, 0.5);
}

/* The interval of the median of what is in the room, in order. */
static void find_interval(const double room[], size_t n, double *low, double *high)
{
	if (statistics_median_interval(room, n, JUDGE_MEDIAN_ERROR, low, high))
		return;
	*low = -INFINITY;
	*high = INFINITY;
}

/* Processes in a unit of the comparisons. */
static size_t unit_size(const struct outcome *outcome)
{
	return outcome->linked ? PLACEMENT_PROCESSES : 1;
}

/* Whole units so far. */
static size_t units_of(const struct outcome *outcome)
{
	return outcome->processes / unit_size(outcome);
}

static void settle_result(struct outcome_function *function, size_t n, double room[])
{
	struct cpucycles_result *r = &function->result;

	r->min = INFINITY;
	r->batch = 0;
	for (size_t p = 0; p < n; p++) {
		r->min = fmin(r->min, function->results[p].min);
		r->batch = function->results[p].batch > r->batch ? function->results[p].batch :
								   r->batch;
		r->warnings |= function->results[p].warnings;
	}
	r->q1 = MEDIAN_OF(function, n, q1, room);
	r->q3 = MEDIAN_OF(function, n, q3, room);
	r->iqm = MEDIAN_OF(function, n, iqm, room);
	find_interval(room, n, &function->mean_low, &function->mean_high);
	r->median = MEDIAN_OF(function, n, median, room);
	find_interval(room, n, &r->low, &r->high);
}

/* How far the function's mean in one layout is from that in all. */
static double by_layout(const struct outcome_function *function, size_t n, double room[])
{
	for (size_t p = 0; p < n; p++)
		room[p] = log(function->results[p].iqm);
	return units_placement(room, n, room);
}

/* The share of the error for a judgement of the units that there are. Between two looks, that is
 * one look more. */
static double share_of(const struct outcome *outcome)
{
	const bool looked = outcome->looks && units_of(outcome) == outcome->looked;

	return verdict_share(outcome->error, looked ? outcome->looks : outcome->looks + 1);
}

/* Judge by the first `units` of them. A unit with a process in which no block had values counts for
 * neither side. */
static void judge_units(struct outcome_function *function, const struct outcome *outcome,
			size_t units, double share, double room[], double scratch[])
{
	const size_t size = unit_size(outcome), n = units * size;

	function->placement =
		outcome->linked ? units_placement(function->log_ratios, n, room) : NAN;
	function->units = units_values(function->log_ratios, n, size, room);
	units_judge(room, function->units, share, outcome->within, scratch, &function->verdict);
	function->compared = true;
}

/* Shortly behind a look, there may be too few units for the share of the next one. Then those of
 * the last look are judged, as they were there. */
static void settle_verdict(struct outcome_function *function, const struct outcome *outcome,
			   double room[], double scratch[])
{
	judge_units(function, outcome, units_of(outcome), share_of(outcome), room, scratch);
	if (!isfinite(function->verdict.high) && outcome->looks)
		judge_units(function, outcome, outcome->looked,
			    verdict_share(outcome->error, outcome->looks), room, scratch);
}

void outcome_settle_results(struct outcome *outcome)
{
	double room[OUTCOME_PROCESSES];

	for (size_t i = 0; i < outcome->count; i++) {
		struct outcome_function *const function = &outcome->functions[i];

		settle_result(function, outcome->processes, room);
		function->by_layout =
			outcome->linked ? by_layout(function, outcome->processes, room) : NAN;
	}
}

double outcome_precision(const struct outcome *outcome, size_t *widest)
{
	double most = -1;

	*widest = 0;
	for (size_t i = 0; i < outcome->count; i++) {
		const struct outcome_function *f = &outcome->functions[i];
		const double mean = f->result.iqm;
		const double half = mean > 0 ? (f->mean_high - f->mean_low) / 2 / mean : INFINITY;

		if (half <= most)
			continue;
		most = half;
		*widest = i;
	}
	return most < 0 ? INFINITY : most;
}

double outcome_so_far(const struct outcome *outcome)
{
	double room[OUTCOME_PROCESSES];
	const double *ratios;
	size_t n = 0;

	if (outcome->count < 2)
		return NAN;
	ratios = outcome->functions[outcome->count - 1].log_ratios;
	for (size_t p = 0; p < outcome->processes; p++)
		if (isfinite(ratios[p]))
			room[n++] = ratios[p];
	statistics_sort(room, n);
	return n ? exp(statistics_quantile(room, n, 0.5)) : NAN;
}

bool outcome_is_precise(const struct outcome *outcome)
{
	size_t widest;

	return outcome->processes >= PRECISION_PROCESSES &&
	       outcome_precision(outcome, &widest) <= outcome->precision;
}

/* Of the functions whose samples lie on one step, the one for which an interval says least, or
 * count: there is none. *step: as a part of its mean. */
static size_t coarsest(const struct outcome *outcome, double *step)
{
	size_t found = outcome->count;

	*step = outcome->precision;
	for (size_t i = 0; i < outcome->count; i++) {
		const struct cpucycles_result *r = &outcome->functions[i].result;
		const double of_sample = outcome->info.step / r->batch / r->iqm;

		if (!judge_is_on_one_step(r) || !(of_sample > *step))
			continue;
		*step = of_sample;
		found = i;
	}
	return found;
}

/* Bytes of a name. */
#define SHOWN 300

/* Whether the precision was reached, without the period. */
static void say_precision(const struct outcome *outcome, char text[OUTCOME_TEXT])
{
	size_t widest;
	const double precision = outcome_precision(outcome, &widest) * 100;
	const char *name = outcome->functions[widest].target->label;
	const int shown = letters_within(name, SHOWN);

	if (outcome_is_precise(outcome))
		snprintf(text, OUTCOME_TEXT, "reached: each interval is within %.3g %% of its mean",
			 precision);
	else if (isfinite(precision))
		snprintf(text, OUTCOME_TEXT,
			 "not reached in the time (-t): the interval of %.*s is within %.3g %% of "
			 "its mean",
			 shown, name, precision);
	else
		snprintf(text, OUTCOME_TEXT,
			 "not reached in the time (-t): %.*s has no interval yet", shown, name);
}

/* What a sentence on one of several sizes begins with; without sizes, nothing. */
#define SIZE_WORDS 40

static const char *size_words(const struct outcome *outcome, char words[SIZE_WORDS])
{
	*words = 0;
	if (outcome->size)
		snprintf(words, SIZE_WORDS, "size %zu: ", outcome->size);
	return words;
}

bool outcome_precision_sentence(const struct outcome *outcome, char text[OUTCOME_TEXT])
{
	char said[OUTCOME_TEXT], size[SIZE_WORDS];
	double step;
	size_t i, n;

	if (!(outcome->precision > 0) || outcome->processes == 0 || outcome->interrupted)
		return false;
	say_precision(outcome, said);
	n = (size_t)snprintf(text, OUTCOME_TEXT, "%sPrecision of %.3g %%: %s, in %zu processes.",
			     size_words(outcome, size), outcome->precision * 100, said,
			     outcome->processes);
	i = coarsest(outcome, &step);
	if (i < outcome->count && n < OUTCOME_TEXT)
		snprintf(text + n, OUTCOME_TEXT - n,
			 " A step of the counter is %.3g %% of the mean of %.*s, and intervals do "
			 "not show less.",
			 step * 100, letters_within(outcome->functions[i].target->label, SHOWN),
			 outcome->functions[i].target->label);
	return true;
}

/* Of one comparison. */
static enum outcome_status gate_of(const struct outcome *outcome,
				   const struct outcome_function *function)
{
	const struct units_verdict *v = &function->verdict;

	if (!function->compared || v->kind == VERDICT_CANNOT_TELL)
		return OUTCOME_UNDECIDED;
	return v->kind == VERDICT_SLOWER && v->ratio >= 1 + outcome->gate ? OUTCOME_ALARM :
									    OUTCOME_OK;
}

enum outcome_status outcome_gate(const struct outcome *outcome)
{
	enum outcome_status all = outcome->count > 1 ? OUTCOME_OK : OUTCOME_UNDECIDED;

	if (!(outcome->gate > 0))
		return OUTCOME_OK;
	for (size_t i = 1; i < outcome->count; i++) {
		const enum outcome_status one = gate_of(outcome, &outcome->functions[i]);

		if (one == OUTCOME_ALARM)
			return OUTCOME_ALARM;
		if (one != OUTCOME_OK)
			all = one;
	}
	return all;
}

/* Whether the function failed when it was called. */
static bool has_failed(const struct target *target)
{
	return target->fate != TARGET_MEASURED && target->fate != TARGET_NOT_LINKED;
}

bool outcome_is_left_out(const struct outcome *outcome)
{
	size_t failed = 0;

	for (size_t i = 0; i < outcome->targets_count; i++)
		failed += has_failed(&outcome->targets[i]);
	return outcome->pair && !outcome->named && failed > 0 && failed == outcome->targets_count;
}

enum outcome_status outcome_gates(const struct outcome outcomes[], size_t n)
{
	enum outcome_status all = OUTCOME_OK;
	size_t judged = 0;

	for (size_t i = 0; i < n && all != OUTCOME_ALARM; i++) {
		const enum outcome_status one = outcome_gate(&outcomes[i]);

		if (outcome_is_left_out(&outcomes[i]))
			continue;
		judged++;
		if (one != OUTCOME_OK)
			all = one;
	}
	return judged == 0 && outcomes[0].gate > 0 ? OUTCOME_UNDECIDED : all;
}

const char *outcome_gate_word(const struct outcome outcomes[], size_t n)
{
	if (!(outcomes[0].gate > 0))
		return NULL;
	switch (outcome_gates(outcomes, n)) {
	case OUTCOME_ALARM:
		return "alarm";
	case OUTCOME_OK:
		return "passed";
	default:
		return "cannot tell";
	}
}

bool outcome_gate_sentence(const struct outcome *outcome, char text[OUTCOME_TEXT])
{
	const char *const word = outcome_gate_word(outcome, 1);
	char size[SIZE_WORDS];

	if (!word || outcome->pair)
		return false;
	snprintf(text, OUTCOME_TEXT, "%sGate of %.3g %%: %s.", size_words(outcome, size),
		 outcome->gate * 100, word);
	return true;
}

/* What came of a pair. */
enum pair_fate {
	PAIR_SLOWER,
	PAIR_FASTER,
	PAIR_SAME,
	PAIR_CANNOT_TELL,
	PAIR_LEFT_OUT,
	PAIR_FAILED
};

static enum pair_fate fate_of(const struct outcome *outcome)
{
	static const enum pair_fate fates[] = {
		[VERDICT_CANNOT_TELL] = PAIR_CANNOT_TELL,
		[VERDICT_FASTER] = PAIR_FASTER,
		[VERDICT_SLOWER] = PAIR_SLOWER,
		[VERDICT_SAME] = PAIR_SAME,
	};

	if (outcome_is_left_out(outcome))
		return PAIR_LEFT_OUT;
	for (size_t i = 0; i < outcome->targets_count; i++)
		if (outcome->targets[i].fate != TARGET_MEASURED)
			return PAIR_FAILED;
	if (outcome->count < 2 || !outcome->functions[1].compared)
		return PAIR_CANNOT_TELL;
	if (outcome->gate > 0 && outcome_gate(outcome) == OUTCOME_OK)
		return PAIR_SAME;
	return fates[outcome->functions[1].verdict.kind];
}

#define add_text(text, ...) letters_add(text, OUTCOME_TEXT, __VA_ARGS__)

/* As many names as have room beside the other sentences. */
#define NAMES_ROOM 120

/* The functions with this fate, and how many they are, behind what they are called. */
static void add_pairs(const struct outcome outcomes[], size_t n, enum pair_fate fate,
		      const char *called, char text[OUTCOME_TEXT])
{
	char names[NAMES_ROOM] = "";
	size_t some = 0, named = 0, length = 0;

	for (size_t i = 0; i < n; i++) {
		const char *const name = outcomes[i].targets[0].function;

		if (fate_of(&outcomes[i]) != fate)
			continue;
		some++;
		if (named + 1 < some || length + strlen(name) + 3 > NAMES_ROOM)
			continue;
		length += (size_t)snprintf(names + length, NAMES_ROOM - length, "%s%s",
					   named++ ? ", " : "", name);
	}
	if (some == 0)
		return;
	add_text(text, " %s: %zu", called, some);
	if (named == some)
		add_text(text, " (%s).", names);
	else if (named > 0)
		add_text(text, " (%s and others).", names);
	else
		add_text(text, ".");
}

bool outcome_pairs_sentence(const struct outcome outcomes[], size_t n, char text[OUTCOME_TEXT])
{
	const char *const word = outcome_gate_word(outcomes, n);
	char at_least[40] = "";

	if (!outcomes[0].pair)
		return false;
	text[0] = 0;
	if (word) {
		add_text(text, "Gate of %.3g %%: %s. ", outcomes[0].gate * 100, word);
		snprintf(at_least, sizeof at_least, "Slower by %.3g %% or more",
			 outcomes[0].gate * 100);
	}
	add_text(text, "Functions in both files: %zu.", n);
	add_pairs(outcomes, n, PAIR_SLOWER, word ? at_least : "Slower", text);
	add_pairs(outcomes, n, PAIR_FASTER, "Faster", text);
	add_pairs(outcomes, n, PAIR_SAME, word ? "Passed" : "The same", text);
	add_pairs(outcomes, n, PAIR_CANNOT_TELL, "Cannot tell", text);
	add_pairs(outcomes, n, PAIR_FAILED, "Failed", text);
	add_pairs(outcomes, n, PAIR_LEFT_OUT, "Left out, because they fail in both files", text);
	return true;
}

size_t outcome_due(const struct outcome *outcome)
{
	const size_t units = verdict_due(outcome->error, outcome->looks + 1);
	const size_t size = unit_size(outcome);

	return units < SIZE_MAX / size ? units * size : SIZE_MAX;
}

bool outcome_misses_first(const struct outcome *outcome)
{
	return outcome->targets_count > 1 && outcome->count > 0 &&
	       outcome->functions[0].target != &outcome->targets[0];
}

static bool compares(const struct outcome *outcome)
{
	return outcome->count > 1 && !outcome_misses_first(outcome);
}

bool outcome_settle(struct outcome *outcome)
{
	const size_t units = units_of(outcome);
	double room[OUTCOME_PROCESSES];
	double *const scratch = malloc(UNITS_SCRATCH(units) * sizeof *scratch);
	bool decided = compares(outcome);

	if (!scratch || outcome->processes == 0) {
		free(scratch);
		return false;
	}
	outcome_settle_results(outcome);
	for (size_t i = 1; compares(outcome) && i < outcome->count; i++) {
		settle_verdict(&outcome->functions[i], outcome, room, scratch);
		decided &= outcome->functions[i].verdict.kind != VERDICT_CANNOT_TELL;
	}
	free(scratch);
	if (units > outcome->looked) {
		outcome->looks++;
		outcome->looked = units;
	}
	return decided;
}

void outcome_free(struct outcome *outcome)
{
	free(outcome->functions);
	free(outcome->first);
}

size_t outcome_layouts(const struct outcome *outcome, size_t i)
{
	return outcome->linked ? outcome->functions[i].units * unit_size(outcome) : 0;
}

size_t outcome_needed(const struct outcome *outcome, size_t i)
{
	const size_t units = outcome->functions[i].verdict.units_needed;
	const size_t size = unit_size(outcome);

	return units < SIZE_MAX / size ? units * size : SIZE_MAX;
}

/* About how long that would take, in whole seconds. */
static double seconds_for(const struct outcome *outcome, size_t processes)
{
	const double done = outcome->processes ? (double)outcome->processes : 1;

	return ceil((double)outcome->elapsed_ns * 1e-9 / done * (double)processes);
}

/* What it would take to tell how function number i compares. */
static void cannot_tell(const struct outcome *outcome, size_t i, char text[OUTCOME_ADVICE])
{
	const size_t most = OUTCOME_PROCESSES / unit_size(outcome) * unit_size(outcome);
	const size_t needed = outcome_needed(outcome, i);
	const char *const what = outcome->linked ? "layouts" : "processes";
	/* The time of one of several pairs is not what -t says. */
	const char *const options = outcome->pair   ? "for this function; -t is for all" :
				    outcome->linked ? "-t" :
						      "-t, -n";

	if (needed == 0)
		snprintf(text, OUTCOME_ADVICE, "No difference was seen.");
	else if (!isfinite(outcome->functions[i].verdict.high))
		snprintf(text, OUTCOME_ADVICE,
			 "These were too few %s: at least %zu are needed, which takes about "
			 "%.0f s (%s).",
			 what, needed, seconds_for(outcome, needed), options);
	else if (needed > most)
		snprintf(text, OUTCOME_ADVICE, "It would take more than %zu %s, which is the most.",
			 most, what);
	else
		snprintf(text, OUTCOME_ADVICE, "About %zu %s might tell, in about %.0f s (%s).",
			 needed, what, seconds_for(outcome, needed), options);
}

/* What a verdict was made from. */
static void say_base(const struct outcome *outcome, size_t i, char text[OUTCOME_ADVICE])
{
	const double seconds = (double)outcome->elapsed_ns * 1e-9;

	if (outcome->linked)
		snprintf(text, OUTCOME_ADVICE, "%zu layouts, %.*f s", outcome_layouts(outcome, i),
			 seconds < 1 ? 1 : 0, seconds);
	else
		snprintf(text, OUTCOME_ADVICE, ", in %zu process%s", outcome->processes,
			 outcome->processes == 1 ? "" : "es");
}

void outcome_verdict(const struct outcome *outcome, size_t i, struct figures_verdict *verdict,
		     char base[OUTCOME_ADVICE], char advice[OUTCOME_ADVICE])
{
	const struct outcome_function *function = &outcome->functions[i];
	const struct units_verdict *v = &function->verdict;

	say_base(outcome, i, base);
	cannot_tell(outcome, i, advice);
	*verdict = (struct figures_verdict){
		.first = outcome->functions[0].target->label,
		.kind = v->kind,
		.ratio = v->ratio,
		.low = v->low,
		.high = v->high,
		.within = outcome->within,
		.inside = v->inside,
		.linked = outcome->linked,
		.placement = function->placement,
		.units = function->units,
		.layouts = outcome_layouts(outcome, i),
		.scope = outcome->linked ? "" : ", as they are linked",
		.base = base,
		.advice = advice,
	};
}

void outcome_sentence(const struct outcome *outcome, size_t i, char text[OUTCOME_TEXT])
{
	struct figures_verdict verdict;
	const struct figures_function function = {
		.name = outcome->functions[i].target->label,
		.sized = outcome->functions[i].target->sized,
		.size = outcome->size,
		.verdict = &verdict,
	};
	char base[OUTCOME_ADVICE], advice[OUTCOME_ADVICE];

	outcome_verdict(outcome, i, &verdict, base, advice);
	figures_sentence(&function, text);
}
