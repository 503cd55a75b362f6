/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "chain.h"
#include "core.h"
#include "counters.h"
#include "guard.h"
#include "log.h"
#include "probe.h"
#include "regress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PPM 1000000

#define CHAIN_LOOP_PPM (CHAIN_LOOP_CYCLES * PPM / CHAIN_ROUND_CYCLES)

const char *core_check_name(enum core_check check)
{
	static const char *const names[] = {
		[CORE_CHECK_NONE] = "none",
		[CORE_CHECK_AGREES] = "agrees",
		[CORE_CHECK_CONTRADICTS] = "contradicts",
	};

	return names[check];
}

/* Rounded up. */
static uint32_t to_ppm(double ppm)
{
	return ppm < RATE_PPM_MAX - 1 ? (uint32_t)ppm + 1 : RATE_PPM_MAX;
}

static double hz_apart(struct rate a, struct rate b)
{
	return (double)(a.hz > b.hz ? a.hz - b.hz : b.hz - a.hz);
}

/* The rate with a bound that reaches to all that the other rate may be. */
static struct rate reaching(struct rate rate, struct rate other)
{
	const double apart = hz_apart(rate, other);
	const double error = (double)other.hz * other.ppm / PPM;

	return (struct rate){ rate.hz, to_ppm((apart + error) / (double)rate.hz * PPM) };
}

enum core_check core_check(struct rate chain, struct rate counted)
{
	if (chain.hz == 0 || counted.hz == 0 || chain.ppm == RATE_PPM_MAX)
		return CORE_CHECK_NONE;
	return regress_overlap(chain, counted) ? CORE_CHECK_AGREES : CORE_CHECK_CONTRADICTS;
}

uint32_t core_apart_ppm(struct rate chain, struct rate counted)
{
	double ppm;

	if (chain.hz == 0 || counted.hz == 0)
		return 0;
	ppm = hz_apart(chain, counted) / (double)counted.hz * PPM;
	return ppm < RATE_PPM_MAX ? (uint32_t)ppm : RATE_PPM_MAX;
}

struct rate core_rate(const struct core_found *found, bool counts_in_use)
{
	if (found->check != CORE_CHECK_CONTRADICTS)
		return found->counted.hz ? found->counted : found->chain;
	return counts_in_use ? reaching(found->counted, found->chain) :
			       reaching(found->chain, found->counted);
}

static uint64_t hz_of(const struct core_found *found)
{
	return core_rate(found, true).hz;
}

/* Whether the slower one is so much slower that they do not agree. */
static bool is_far(uint64_t slower, uint64_t faster)
{
	return (double)slower < (double)faster * (PPM - CORE_AGREE_PPM) / PPM;
}

/* Whether another moment was about as fast as this one. */
static bool is_confirmed(const struct core_found found[], size_t n, size_t i)
{
	const uint64_t hz = hz_of(&found[i]);
	size_t j = 0;

	while (j < n && (j == i || is_far(hz_of(&found[j]), hz) || is_far(hz, hz_of(&found[j]))))
		j++;
	return hz > 0 && j < n;
}

size_t core_fastest(const struct core_found found[], size_t n)
{
	size_t fastest = 0;
	bool confirmed = false;

	for (size_t i = 0; i < n; i++) {
		const bool is = is_confirmed(found, n, i);

		if (is < confirmed ||
		    (is == confirmed && hz_of(&found[i]) <= hz_of(&found[fastest])))
			continue;
		confirmed = is;
		fastest = i;
	}
	return fastest;
}

uint64_t core_slowest(const struct core_found found[], size_t n)
{
	uint64_t slowest = 0;

	for (size_t i = 0; i < n; i++)
		if (slowest == 0 || (hz_of(&found[i]) > 0 && hz_of(&found[i]) < slowest))
			slowest = hz_of(&found[i]);
	return slowest;
}

/* One kind is measured at a time. Static, because it is too large for a stack. */
static struct {
	struct chain_times times;
	uint64_t budget_ns;
	const struct counter *witness; /* counts while the chain runs; NULL: none */
} work;

static void call_time(void *unused)
{
	(void)unused;
	chain_time(work.budget_ns, work.witness ? work.witness->read : NULL, &work.times);
}

/* False: the clock cannot be read or is too coarse, or the witness faulted. */
static bool time_batches(uint64_t budget_ns, const struct counter *witness)
{
	work.budget_ns = budget_ns;
	work.witness = witness;
	return !guard_call(call_time, NULL) && work.times.n > 0;
}

static struct core_found evaluate(const struct counter *witness)
{
	struct chain_times *const t = &work.times;
	const struct regress_batches times = { t->brief.ns, t->whole.ns, t->n, t->clock_step };
	/* A counter of cycles may move by one at once. */
	const struct regress_batches counts = { t->brief.counts, t->whole.counts, t->n, 1 };
	struct core_found found = {
		.chain = regress_best(times, (uint64_t)t->rounds * CHAIN_ROUND_CYCLES),
		.batches = t->n,
	};

	if (found.chain.hz)
		found.chain.ppm = chain_is_portable() ?
					  RATE_PPM_MAX :
					  to_ppm((double)found.chain.ppm + CHAIN_LOOP_PPM);
	if (witness)
		found.counted = regress_counted(times, counts);
	if (found.counted.hz)
		found.witness = witness;
	found.check = core_check(found.chain, found.counted);
	return found;
}

/* Set up the first counter of the core's cycles that works here; NULL if there is none. One that is
 * read from user space has to come before one that is read by a system call. */
static const struct counter *set_witness_up(uint64_t persecond)
{
	static const enum counter_class classes[] = { COUNTER_ON_CORE, COUNTER_KERNEL_COUNT };
	struct candidate now;

	for (size_t j = 0; j < sizeof classes / sizeof classes[0]; j++)
		for (size_t i = 0; i < counters_count; i++)
			if (counters_list[i]->class == classes[j] &&
			    probe_briefly(counters_list[i], persecond, 0, &now))
				return counters_list[i];
	return NULL;
}

static void log_kind(const struct core_kind *kind, const struct core_found *found)
{
	const struct rate rate = core_rate(found, true);

	if (rate.hz == 0) {
		log_line(LOG_WARNING,
			 "core: kind %s: unknown: the clock cannot be read or is too coarse, or no"
			 " batches agree",
			 kind->name);
		return;
	}
	if (!found->witness)
		log_line(LOG_INFO,
			 "core: kind %s: %" PRIu64 " Hz%s, within %" PRIu32 " ppm (%zu batches)",
			 kind->name, rate.hz, chain_is_portable() ? " at least" : "", rate.ppm,
			 found->batches);
	else
		log_line(found->check == CORE_CHECK_CONTRADICTS ? LOG_WARNING : LOG_INFO,
			 "core: kind %s: %" PRIu64 " Hz, within %" PRIu32 " ppm, counted by %s"
			 " (%zu batches); by the chain %" PRIu64 " Hz, within %" PRIu32 " ppm: %s",
			 kind->name, found->counted.hz, found->counted.ppm, found->witness->name,
			 found->batches, found->chain.hz, found->chain.ppm,
			 core_check_name(found->check));
}

/* A chain that is no check has no figure to compare. */
static void log_apart(const struct core_kind *kind, const struct core_found *found)
{
	const uint32_t apart = core_apart_ppm(found->chain, found->counted);

	if (found->check == CORE_CHECK_NONE || !found->witness->core_hz || apart <= CORE_APART_PPM)
		return;
	log_line(LOG_WARNING,
		 "core: kind %s: the chain and %s are %" PRIu32 " ppm apart, more than %d: the core"
		 " was disturbed, or one of the two is wrong",
		 kind->name, found->witness->name, apart, CORE_APART_PPM);
}

static struct core_found measure_kind(const struct core_kind *kind, uint64_t persecond,
				      uint64_t budget_ns)
{
	const struct counter *witness;
	struct core_found found = { 0 };

	if (kind->cpu >= 0 ? !affinity_pin(kind->cpu) : !affinity_pin_here())
		log_line(LOG_DEBUG, "core: %s: not kept on one CPU", kind->name);
	witness = set_witness_up(persecond);
	if (time_batches(budget_ns, witness))
		found = evaluate(witness);
	else if (witness && time_batches(budget_ns, NULL))
		found = evaluate(NULL); /* the register was closed meanwhile */
	if (witness)
		probe_teardown(witness);
	affinity_restore();
	return found;
}

void core_look(const struct core_kind kinds[], size_t n, uint64_t persecond, uint64_t budget_ns,
	       struct core_moments *moments)
{
	for (size_t i = 0; i < n; i++)
		moments->found[i][moments->n] = measure_kind(&kinds[i], persecond, budget_ns / n);
	moments->n++;
}

static uint64_t fastest_hz(const struct core_found found[], size_t n)
{
	return hz_of(&found[core_fastest(found, n)]);
}

const struct core_found *core_fastest_kind(size_t n, const struct core_moments *moments)
{
	const struct core_found *fastest = moments->found[0];

	for (size_t i = 1; i < n; i++)
		if (fastest_hz(moments->found[i], moments->n) > fastest_hz(fastest, moments->n))
			fastest = moments->found[i];
	return fastest;
}

struct core_found core_choose(size_t n, const struct core_moments *moments)
{
	const struct core_found *found = core_fastest_kind(n, moments);

	return found[core_fastest(found, moments->n)];
}

static void log_slow(const struct core_kind *kind, const struct core_found found[], size_t n)
{
	const uint64_t fastest = fastest_hz(found, n);
	const uint64_t slowest = core_slowest(found, n);

	if (is_far(slowest, fastest))
		log_line(LOG_INFO,
			 "core: kind %s: this core was slow for part of the time: %" PRIu64
			 " to %" PRIu64 " Hz at %zu moments; the fastest counts",
			 kind->name, slowest, fastest, n);
}

void core_log(const struct core_kind kinds[], size_t n, const struct core_moments *moments)
{
	for (size_t i = 0; i < n; i++) {
		const struct core_found *found = moments->found[i];
		const struct core_found *fastest = &found[core_fastest(found, moments->n)];

		log_kind(&kinds[i], fastest);
		log_apart(&kinds[i], fastest);
		log_slow(&kinds[i], found, moments->n);
	}
}
