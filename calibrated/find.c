/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "disagree.h"
#include "facts.h"
#include "find.h"
#include "guard.h"
#include "log.h"
#include "probe.h"
#include "rate.h"
#include "rates.h"
#include "restamp.h"
#include "skew.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The core's part of what is left of the budget for measuring. Probing comes later, and takes about
 * PROBING_TIMES as much time of the CPU as what was done before. On a slow core, that is most of
 * the budget. */
#define CORE_PART 4
#define PROBING_TIMES 4

/* Of what is then left, the skew gets this part, and the rates get the others. */
#define SKEW_PART 5

/* If there is less left, each of the three gets this part of the budget. */
#define LEAST_CORE 16
#define LEAST_RATES 16
#define LEAST_SKEW 40

/* On a slow core, preparing a run takes more than this part of the budget. */
#define SLOW_CORE_PART 5

/* A restamp takes little time of the CPU: rates are measured between pauses. */
#define RESTAMP_CORE_NS 2000000u /* at each of two moments */
#define RESTAMP_RATES_NS 50000000u
#define RESTAMP_ROUNDS 32

#define NS_PER_S 1000000000u
#define PPM 1000000

static void log_candidate(size_t rank, const struct candidate *c)
{
	const char *class = counter_class_name(c->counter->class);

	if (c->reason == REASON_NONE)
		log_line(LOG_INFO, "rank %zu: %s, %s, precision %" PRIu64, rank + 1,
			 c->counter->name, class, c->precision);
	else if (c->reason == REASON_ERRNO)
		log_line(LOG_INFO, "unusable: %s: %s", c->counter->name, strerror(c->detail));
	else if (c->reason == REASON_CLOSED && c->detail)
		log_line(LOG_INFO, "unusable: %s: its page cannot be mapped: %s", c->counter->name,
			 strerror(c->detail));
	else if (c->reason == REASON_SIGNAL)
		log_line(LOG_INFO, "unusable: %s: %s", c->counter->name, strsignal(c->detail));
	else
		log_line(LOG_INFO, "unusable: %s: %s", c->counter->name, reason_name(c->reason));
}

/* The core's own frequency. Where no source answered, it becomes persecond. counts_in_use: see
 * core_rate. */
static void set_core(struct find *find, bool counts_in_use)
{
	struct cache *new = find->new;

	new->core = core_rate(&find->core, counts_in_use);
	new->persecond = find->known->estimate;
	if (find->known->estimate.source == PERSECOND_DEFAULT && new->core.hz)
		new->persecond = (struct persecond){ new->core.hz, PERSECOND_MEASURED };
}

/* Whether the best counter of this ranking counts cycles of the core. */
static bool counts_cycles(const struct cache *ranked)
{
	return ranked->usable > 0 && counter_counts_core(ranked->candidates[0].counter->class);
}

/* On a slow core, measuring once takes enough time. Preparing a run takes so long there that a core
 * which is slow for a moment does not look like that. */
static size_t moments(const struct find *find)
{
	return find->budget.prepared_ns > find->budget.ns / SLOW_CORE_PART ? 1 : CORE_MOMENTS;
}

/* Measure the core at one more moment, if any is left. */
static void look_at_core(struct find *find)
{
	const struct known *known = find->known;

	if (find->moments.n >= moments(find))
		return;
	core_look(known->kinds, known->kinds_n, known->estimate.hz, find->moment_ns,
		  &find->moments);
	find->core = core_choose(known->kinds_n, &find->moments);
}

/* The first moment. ranked: the ranking that programs get, as far as it is known. */
static void begin_core(struct find *find, const struct cache *ranked, uint64_t moment_ns)
{
	find->moments.n = 0;
	find->moment_ns = moment_ns;
	look_at_core(find);
	set_core(find, counts_cycles(ranked));
}

/* How slow the core was at the slowest moment, in Hz; 0: unknown. One moment has nothing to be
 * compared with, and of two witnesses that contradict each other, one may be wrong each time. */
static uint64_t slowest(const struct find *find)
{
	if (find->moments.n < 2 || find->core.check == CORE_CHECK_CONTRADICTS)
		return 0;
	return core_slowest(core_fastest_kind(find->known->kinds_n, &find->moments),
			    find->moments.n);
}

/* What all moments have shown. True: this run measured the frequency that the ranking was made for,
 * and at a moment when the core was slow. Then persecond is another one now. */
static bool settle_core(struct find *find)
{
	const struct core_found *found = &find->core;
	struct cache *new = find->new;
	const uint64_t before = new->persecond.hz;
	cache_fact_word *const facts = new->facts;

	core_log(find->known->kinds, find->known->kinds_n, &find->moments);
	facts_set(facts[FACT_WITNESS], found->witness ? found->witness->name : "none");
	facts_set_hz(facts[FACT_COUNTED], found->counted.hz);
	facts_set_hz(facts[FACT_CHAIN], found->chain.hz);
	facts_set(facts[FACT_CHECK], core_check_name(found->check));
	facts_set_hz(facts[FACT_SLOWEST], slowest(find));
	new->core = core_rate(found, counts_cycles(new));
	/* A frequency that the persecond file states is kept, also if a run measured it. */
	if (find->known->estimate.source != PERSECOND_DEFAULT ||
	    new->persecond.source != PERSECOND_MEASURED || find->unscaled.measured.hz ||
	    (double)new->core.hz *(PPM - CORE_AGREE_PPM) / PPM <= (double)before)
		return false;
	log_line(LOG_INFO, "persecond %" PRIu64 " Hz, because the core was slow before",
		 new->core.hz);
	new->persecond.hz = new->core.hz;
	return true;
}

/*
 * Where no source stated persecond and the core could not be measured, which takes a fine clock,
 * the rate of a counter that is not scaled by persecond is better than a number that was not
 * measured. That is the time-stamp counter.
 */
static void measure_unscaled(struct find *find)
{
	struct candidate *c = &find->unscaled;

	for (size_t i = 0; i < counters_count && c->measured.hz == 0; i++) {
		if (!counter_reads_tsc(counters_list[i]))
			continue;
		probe_counter(counters_list[i], find->known->estimate.hz, c);
		if (c->reason == REASON_NONE)
			rates_measure(c, 1, find->known->estimate.hz,
				      &(struct rates_plan){ find->budget.ns / 2, RATES_ROUNDS });
	}
	if (c->measured.hz)
		find->new->persecond = (struct persecond){ c->measured.hz, PERSECOND_MEASURED };
}

/* The rate that became persecond is published for the counter itself, too. */
static void keep_unscaled(struct find *find)
{
	struct cache *new = find->new;

	for (size_t i = 0; find->unscaled.measured.hz && i < new->usable; i++)
		if (new->candidates[i].counter == find->unscaled.counter)
			new->candidates[i].measured = find->unscaled.measured;
}

void find_persecond(struct find *find)
{
	const uint64_t used =
		budget_passed(&find->budget) + find->budget.prepared_ns * PROBING_TIMES;

	begin_core(find, find->new,
		   budget_left(&find->budget, used, LEAST_CORE) / CORE_PART / moments(find));
	if (find->new->persecond.source == PERSECOND_DEFAULT)
		measure_unscaled(find);
	if (find->new->persecond.source == PERSECOND_MEASURED)
		log_line(LOG_INFO, "persecond %" PRIu64 " Hz, source %s", find->new->persecond.hz,
			 frequency_source_name(find->new->persecond.source));
}

static void log_pair(const struct skew_pair *pair)
{
	log_line(LOG_DEBUG, "skew: CPU %d to CPU %d: %lld to %lld counts in %lu rounds", pair->here,
		 pair->there, (long long)pair->bounds.low, (long long)pair->bounds.high,
		 (unsigned long)pair->rounds);
}

/* Whether the counter runs at a fixed rate that is known, so that its counts can be given in ns. */
static bool has_rate(const struct candidate *c)
{
	return c->counter->class == COUNTER_OS_CLOCK ||
	       (rates_is_free_running(c->counter) && c->measured.hz &&
		c->measured.ppm < RATE_PPM_MAX);
}

/* The skew between CPUs of the best counter with a rate that is fixed and known. */
static void measure_skew(struct find *find)
{
	struct cache *new = find->new;
	struct skew_source source = { .guarded = guard_call, .found = log_pair };
	struct candidate now;
	uint64_t counts, hz;
	size_t i = 0;

	while (i < new->usable && !has_rate(&new->candidates[i]))
		i++;
	if (i == new->usable || !probe_briefly(new->candidates[i].counter, new->persecond.hz,
					       new->candidates[i].hz, &now))
		return;
	hz = new->candidates[i].measured.hz ? new->candidates[i].measured.hz : new->persecond.hz;
	source.read = now.counter->read;
	if (skew_measure(&source,
			 budget_left(&find->budget, budget_used(&find->budget), LEAST_SKEW),
			 &counts) &&
	    counts < UINT64_MAX / NS_PER_S)
		snprintf(new->facts[FACT_SKEW], CACHE_FACT_SIZE, "%" PRIu64,
			 counts * NS_PER_S / hz + 1);
	probe_teardown(now.counter);
	log_line(LOG_INFO, "skew of %s between CPUs: %s%s", now.counter->name,
		 new->facts[FACT_SKEW],
		 strcmp(new->facts[FACT_SKEW], "unknown") ? " ns at most" : "");
}

/* The OS's answer stays in use. A warning tells whoever relies on it which figure disagrees. */
static void log_disagreement(const struct cache *new)
{
	const struct candidate *counter = new->usable ? &new->candidates[0] : NULL;
	const char *sentence = disagree_sentence(new, counter);

	if (sentence)
		log_line(LOG_WARNING,
			 "persecond %" PRIu64 " Hz, core %" PRIu64 " Hz, counter %" PRIu64
			 " Hz: %s",
			 new->persecond.hz, new->core.hz, counter ? counter->measured.hz : 0,
			 sentence);
}

/* Rank all counters at new->persecond. */
static void rank(struct cache *new)
{
	log_line(LOG_INFO, "probing %zu counters", counters_count);
	probe_all(new->persecond.hz, false, new->candidates);
	selection_rank(new->candidates, counters_count);
	new->usable = 0;
	for (size_t i = 0; i < counters_count; i++) {
		new->usable += new->candidates[i].reason == REASON_NONE;
		log_candidate(i, &new->candidates[i]);
	}
}

/* If the witnesses of the core's frequency contradict one another, it matters whether programs get
 * counts of cycles. If they do, the counter decides, and scalings change with persecond. */
static void rank_by_the_right_witness(struct find *find)
{
	struct cache *new = find->new;

	rank(new);
	if (find->core.check != CORE_CHECK_CONTRADICTS || !counts_cycles(new))
		return;
	set_core(find, true);
	if (new->persecond.source == PERSECOND_MEASURED)
		rank(new);
}

void find_take_lower(struct candidate ranked[], size_t n, const struct candidate later[])
{
	for (size_t i = 0; i < n; i++) {
		const struct candidate *other = &later[counters_find(ranked[i].counter->name)];

		if (other->reason == REASON_NONE && other->precision < ranked[i].precision)
			ranked[i].precision = other->precision;
	}
	selection_rank(ranked, n);
}

/* The first probe may have been made while the machine was slow. So one at the end of the run may
 * lower precisions, and change the order. On a slow core one probe takes enough time. */
static void rank_again(struct find *find)
{
	static struct candidate later[COUNTERS_MAX];
	struct candidate *const ranked = find->new->candidates;
	const struct counter *first = ranked[0].counter;

	if (moments(find) == 1)
		return;
	probe_all(find->new->persecond.hz, false, later);
	find_take_lower(ranked, find->new->usable, later);
	if (ranked[0].counter != first)
		log_line(LOG_INFO,
			 "ranked again: %s is first now, because the machine was slow before",
			 ranked[0].counter->name);
}

/* The moments at which the core is measured lie between the other measurements. */
static void rank_and_measure(struct find *find)
{
	struct cache *new = find->new;
	uint64_t left, later;

	rank_by_the_right_witness(find);
	look_at_core(find);
	later = find->moment_ns * (moments(find) - find->moments.n);
	left = budget_left(&find->budget, budget_used(&find->budget) + later, LEAST_RATES);
	rates_measure(new->candidates, new->usable, new->persecond.hz,
		      &(struct rates_plan){ left - left / SKEW_PART,
					    rates_rounds(find->budget.prepared_ns) });
	keep_unscaled(find);
	look_at_core(find);
	facts_limit(new); /* before anything takes a rate for fixed */
	measure_skew(find);
	look_at_core(find);
}

void find_ranking(struct find *find)
{
	rank_and_measure(find);
	if (settle_core(find))
		rank_and_measure(find);
	rank_again(find);
	facts_limit(find->new); /* the core's bound, too */
	log_disagreement(find->new);
}

static bool is_same_core(struct rate old, struct rate new)
{
	if (restamp_same_core(old, new))
		return true;
	log_line(LOG_INFO, "core: %" PRIu64 " Hz, in the cache %" PRIu64 " Hz", new.hz, old.hz);
	return false;
}

bool find_restamped(struct find *find)
{
	const struct cache *old = &find->known->old;
	struct cache *new = find->new;

	begin_core(find, old, RESTAMP_CORE_NS);
	if (new->persecond.source == PERSECOND_DEFAULT)
		return false;
	if (find->known->estimate.source == PERSECOND_DEFAULT &&
	    restamp_may_keep(&old->persecond, new->core))
		new->persecond = old->persecond;
	if (!restamp_take_ranking(old, new))
		return false;
	rates_measure(new->candidates, new->usable, new->persecond.hz,
		      &(struct rates_plan){ RESTAMP_RATES_NS, RESTAMP_ROUNDS });
	look_at_core(find);
	if (settle_core(find) || !is_same_core(old->core, new->core) ||
	    !restamp_same_rates(old, new))
		return false;
	facts_limit(new);
	strcpy(new->facts[FACT_SKEW], old->facts[FACT_SKEW]);
	log_line(LOG_INFO,
		 "same machine: %zu ranked counters checked and measured again, boot id restamped",
		 new->usable);
	return true;
}
