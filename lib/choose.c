/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "choose.h"
#include "ending.h"
#include "environment.h"
#include "file.h"
#include "guard.h"
#include "hot.h"
#include "persecond.h"
#include "probe.h"

#include <string.h>

/* What CPUCYCLES_COUNTER asks for: a counter, else a class, else nothing. */
struct request {
	const struct counter *counter; /* may be NULL */
	bool by_class;
	enum counter_class class;
};

/* What the steps of one choice share. */
struct work {
	struct request request;
	struct cache_context context;
	bool cache_wanted;
	const struct persecond *kept; /* persecond that a reselection keeps; else NULL */
	enum cache_status status;
	struct persecond persecond;
	struct cache_reader reader;
	struct candidate candidate;
	struct cache cache; /* the header only; what follows the header is not used */
};

/* One choice is made at a time, by the holder of the guard. A small stack has no room for these:
 * the work, and the results of a probe. */
static HOT struct work only_work;
static struct candidate found[COUNTERS_MAX];

/* A word that is the name of no counter and no class asks for nothing. */
static struct request requested(void)
{
	const char *name = environment_get(ENVIRONMENT_COUNTER);
	struct request request = { .counter = NULL };
	size_t i;

	if (!name)
		return request;
	i = counters_find(name);
	if (i < counters_count)
		request.counter = counters_list[i];
	else
		request.by_class = counter_class_find(name, &request.class);
	return request;
}

bool choose_cache(struct cache_context *cache)
{
	const char *path = environment_get(ENVIRONMENT_CACHE);

	if (!path)
		return true;
	cache->path = path;
	cache->own = true;
	return strcmp(path, "none") != 0;
}

static struct work *begin(const struct choose_options *options)
{
	struct work *work = &only_work;

	work->context = options->cache;
	work->cache_wanted = choose_cache(&work->context);
	work->kept = options->before ? &options->before->persecond : NULL;
	return work;
}

static void call_open(void *argument)
{
	struct work *work = argument;

	work->status = cache_open(&work->context, &work->cache, &work->reader);
}

/* The persecond file. If the calibrator wrote it, the boot id tells whether it still counts. */
struct override {
	struct work *work;
	struct persecond_file file;
	char boot[MACHINE_BOOT_SIZE];
};

static void call_read(void *argument)
{
	struct override *override = argument;

	persecond_read(override->work->context.persecond_path, NULL, &override->file);
	if (override->file.ours)
		machine_boot(override->boot);
}

static void call_estimate(void *argument)
{
	const struct override *override = argument;

	override->work->persecond =
		frequency_estimate(persecond_answer(&override->file, override->boot), "", true);
}

/* Where a sandbox answers a look at a file with a signal, the default stays. */
COLD static struct persecond estimate(struct work *work)
{
	struct override override = { .work = work };

	/* There is no cache that says what works here, so the sources and the counters may raise
	 * any signal. Where a sandbox refuses, a counter whose signals are not caught is unusable.
	 */
	guard_add(GUARD_ALL);
	if (work->kept)
		return *work->kept;
	work->persecond = (struct persecond){ PERSECOND_BLIND, PERSECOND_DEFAULT };
	ending_let_in();
	file_guard_call(call_read, &override);
	file_guard_call(call_estimate, &override);
	ending_keep_out();
	return work->persecond;
}

struct rate choose_rate(const struct candidate *c, const struct persecond *persecond)
{
	const struct rate unknown = { 0, 0 };

	/* An OS clock keeps time by definition, so its rate needs no measuring. */
	if (c->counter->class == COUNTER_OS_CLOCK)
		return (struct rate){ persecond->hz, 0 };
	if (c->counter->class != COUNTER_OFF_CORE)
		return unknown;
	if (c->measured.hz)
		return c->measured.ppm < RATE_PPM_MAX ? c->measured : unknown;
	if (c->hz) {
		const uint64_t hz = rate_scaled(c->hz, c->scaling.num, c->scaling.den);

		return (struct rate){ hz, RATE_TOLD_PPM };
	}
	if (counter_reads_tsc(c->counter) &&
	    frequency_subject_of(persecond->source) == FREQUENCY_OF_TSC)
		return (struct rate){ persecond->hz, RATE_TOLD_PPM };
	return unknown;
}

/* A rate of the time-stamp counter that a source tells. */
struct told {
	enum persecond_source source;
	bool believed;
};

/* In a virtual machine, leaf 0x15 may describe the host's counter, and the host may have given the
 * machine's counter another rate. */
static void call_judge(void *argument)
{
	char hypervisor[MACHINE_HYPERVISOR_SIZE];
	struct told *told = argument;

	if (told->source != PERSECOND_CPUID_TSC || !machine_hypervisor(hypervisor))
		told->believed = machine_ask_tsc() == MACHINE_TSC_INVARIANT;
}

/* Whether that rate is the counter's, and fixed. Where the question faults, it is unknown. */
COLD static bool is_believed(enum persecond_source source)
{
	struct told told = { .source = source };

	return !file_guard_call(call_judge, &told) && told.believed;
}

/* The rate of the counter that was just set up. A cache knows better than those who tell a rate of
 * the time-stamp counter: a rate that it does not have is not fixed, or could not be measured. */
static struct rate rate_of(const struct candidate *c, const struct choice *choice)
{
	const struct rate rate = choose_rate(c, &choice->persecond);

	if (!counter_reads_tsc(c->counter) || !rate.hz || c->measured.hz ||
	    (choice->cache_status != CACHE_USED && is_believed(choice->persecond.source)))
		return rate;
	return (struct rate){ 0, 0 };
}

static void call_core_hz(void *argument)
{
	struct choice *choice = argument;

	choice->core_hz = choice->counter->core_hz();
}

/* The frequency that a counter of cycles shows. Only asked where no cache has the frequency that
 * the calibration measured. */
COLD static void ask_core_hz(struct choice *choice)
{
	if (file_guard_call(call_core_hz, choice) || !rate_is_sane(choice->core_hz))
		choice->core_hz = 0;
}

/* Set this counter up at choice->persecond. False: it does not work in this process; then the
 * candidate has the reason. */
static bool use(struct candidate *candidate, struct choice *choice)
{
	struct candidate now = { .counter = candidate->counter };

	choice->counter = candidate->counter;
	if (!probe_briefly(candidate->counter, choice->persecond.hz, candidate->hz, &now)) {
		candidate->reason = now.reason;
		candidate->detail = now.detail;
		return false;
	}
	if (candidate->hz == now.hz && candidate->scaling.num == now.scaling.num &&
	    candidate->scaling.den == now.scaling.den)
		now.measured = candidate->measured;
	probe_keep_rate(now.counter, now.hz);
	choice->rate = rate_of(&now, choice);
	if (!choice->core_hz && now.counter->core_hz)
		ask_core_hz(choice);
	return true;
}

static enum cache_status open_cache(struct work *work)
{
	if (!work->cache_wanted)
		return CACHE_DISABLED;
	work->status = CACHE_UNTRUSTED; /* the answer of a fault */
	file_guard_call(call_open, work);
	/* A reselection accepts only a cache that was computed from the persecond that it keeps. */
	if (work->status == CACHE_USED && work->kept && work->cache.persecond.hz != work->kept->hz)
		return CACHE_STALE_PERSECOND;
	return work->status;
}

/* Sets of classes. The last resort is for a probe to choose, when nothing else works. */
#define CLASS(class) (1u << (class))
#define USUAL_CLASSES (~CLASS(COUNTER_LAST_RESORT))

/* What the calibration has measured comes before what an earlier selection has. */
static void take_core_hz(struct work *work, struct choice *choice)
{
	const uint64_t hz = cache_parse_core(&work->reader);

	if (hz)
		choice->core_hz = hz;
}

/* Set up the first counter of these classes, in rank order, that works in this process. The lines
 * after it are not read. A line that is reached and is malformed ends the search: with it, the
 * whole ranking is in doubt. */
static enum cache_status use_ranked(struct work *work, unsigned classes, struct choice *choice)
{
	for (;;) {
		switch (cache_parse_usable(&work->reader, &work->candidate)) {
		case CACHE_LINE_WRONG:
			return CACHE_MALFORMED;
		case CACHE_LINE_NONE:
			return CACHE_NO_COUNTER;
		case CACHE_LINE_USABLE:
			break;
		}
		if (!(classes & CLASS(work->candidate.counter->class)))
			continue;
		if (counter_counts_core(work->candidate.counter->class))
			take_core_hz(work, choice);
		if (use(&work->candidate, choice))
			return CACHE_USED;
	}
}

static bool from_cache(struct work *work, unsigned classes, struct choice *choice)
{
	choice->cache_status = open_cache(work);
	if (choice->cache_status != CACHE_USED)
		return false;
	choice->persecond = work->kept ? *work->kept : work->cache.persecond;
	choice->cache_status = use_ranked(work, classes, choice);
	choice->from_cache = choice->cache_status == CACHE_USED;
	return choice->from_cache;
}

/* Find the counter's line in the cache that was opened. */
static bool find_ranked(struct work *work, const struct counter *counter)
{
	while (cache_parse_usable(&work->reader, &work->candidate) == CACHE_LINE_USABLE)
		if (work->candidate.counter == counter)
			return true;
	return false;
}

COLD bool choose_other(const struct choose_options *options, const struct counter *counter,
		       struct candidate *result, struct rate *rate)
{
	struct work *work = begin(options);
	struct choice other = *options->before;
	bool works;

	other.cache_status = open_cache(work);
	if (other.cache_status != CACHE_USED || !find_ranked(work, counter))
		work->candidate = (struct candidate){ .counter = counter };
	works = use(&work->candidate, &other);
	*result = work->candidate;
	*rate = other.rate;
	return works;
}

/* Set up the best of the probe. It may fail here although it worked in the probe: another thread
 * may have taken the last descriptor meanwhile. */
static bool use_winner(struct candidate candidates[], struct choice *choice)
{
	size_t winner = selection_winner(candidates, counters_count);

	return winner < counters_count && use(&candidates[winner], choice);
}

/* Set up the best that still works. Each round that fails excludes one counter. */
static bool use_best(struct candidate candidates[], struct choice *choice)
{
	for (size_t i = 0; i < counters_count; i++)
		if (use_winner(candidates, choice))
			return true;
	return false;
}

static void use_best_or_last_resort(struct candidate candidates[], struct choice *choice)
{
	if (use_best(candidates, choice))
		return;
	choice->counter = counters_last_resort();
	choice->rate = (struct rate){ 0, 0 };
}

COLD static void by_probe(struct choice *choice)
{
	probe_all(choice->persecond.hz, true, found);
	if (use_winner(found, choice))
		return;
	/* Without the first winner, a counter that was pruned may be the best. */
	probe_all(choice->persecond.hz, false, found);
	use_best_or_last_resort(found, choice);
}

/* Set up the best counter of a class: from the results of a full probe; without these from the
 * cache, or by a probe where there is no cache that can be used. A probe could not better the
 * cache's answer that no counter of the class works. */
COLD static bool by_class(struct work *work, const struct candidate *results, struct choice *choice)
{
	const enum counter_class class = work->request.class;

	if (!results) {
		if (from_cache(work, CLASS(class), choice))
			return true;
		if (choice->cache_status == CACHE_NO_COUNTER)
			return false;
		choice->persecond = estimate(work);
	}
	if (!results)
		probe_class(class, choice->persecond.hz, found);
	for (size_t i = 0; results && i < counters_count; i++)
		found[i] = counters_list[i]->class == class ?
				   results[i] :
				   (struct candidate){ .reason = REASON_PRUNED };
	return use_best(found, choice);
}

/* What the environment asks for, if it works. results: of a full probe, without the cache; else
 * NULL. */
static bool by_request(struct work *work, const struct candidate *results, struct choice *choice)
{
	const struct request *request = &work->request;

	if (request->counter) {
		if (!results)
			choice->persecond = estimate(work);
		return use(&(struct candidate){ .counter = request->counter }, choice);
	}
	return request->by_class && by_class(work, results, choice);
}

COLD static void by_full_probe(struct work *work, struct candidate results[], struct choice *choice)
{
	choice->persecond = estimate(work);
	probe_all(choice->persecond.hz, false, results);
	if (by_request(work, results, choice))
		return;
	memcpy(found, results, counters_count * sizeof results[0]);
	use_best_or_last_resort(found, choice);
}

static void make_choice(const struct choose_options *options, struct choice *choice)
{
	struct work *work;

	environment_read();
	work = begin(options);
	work->request = requested();
	/* A reselection keeps it, so that time does not change with each of them. */
	choice->core_hz = options->before ? options->before->core_hz : 0;
	choice->from_cache = false;
	choice->cache_status = CACHE_DISABLED;
	if (options->full_probe) {
		by_full_probe(work, options->full_probe, choice);
		return;
	}
	if (by_request(work, NULL, choice) || from_cache(work, USUAL_CLASSES, choice))
		return;
	choice->persecond = estimate(work);
	by_probe(choice);
}

void choose_counter(const struct choose_options *options, struct choice *choice)
{
	const struct counter *before = options->before ? options->before->counter : NULL;
	static HOT unsigned selections;

	counter_selection = ++selections;
	make_choice(options, choice);
	counter_selection = 0;
	/* Same teardown means a shared resource, which the new counter now uses: keep it. */
	if (before && before->teardown != choice->counter->teardown)
		probe_teardown(before);
}
