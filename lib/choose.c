/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "choose.h"
#include "environment.h"
#include "file.h"
#include "guard.h"
#include "hot.h"
#include "probe.h"

#include <string.h>

/* What the steps below share. Too large for a small stack, and one choice is made
 * at a time. */
static HOT struct {
	const struct cache_context *context;
	const struct persecond *told; /* before; NULL: by nobody */
	struct cache_verdict verdict;
	struct persecond persecond;
	struct cache cache; /* last: most of it is not used, see lib/Makefile.inc */
} work;

/* What a probe finds. */
static struct candidate found[COUNTERS_MAX];

bool choose_cache(struct cache_context *cache)
{
	const char *path = environment_get("CPUCYCLES_CACHE");

	if (!path)
		return true;
	cache->path = path;
	cache->own = true;
	return strcmp(path, "none") != 0;
}

static void call_load(void *unused)
{
	(void)unused;
	work.verdict = cache_load(work.context, &work.cache);
}

/* The persecond file. If the calibrator wrote it, the boot id tells whether it still counts. */
struct override {
	struct persecond_file file;
	char boot[MACHINE_BOOT_SIZE];
};

static void call_read(void *argument)
{
	struct override *override = argument;

	frequency_read_file(work.context->persecond_path, &override->file);
	if (override->file.ours)
		machine_boot(override->boot);
}

static void call_estimate(void *argument)
{
	const struct override *override = argument;

	work.persecond = frequency_estimate(&override->file, override->boot, "", true);
}

/* A sandbox that answers a look at a file with a signal leaves the blind default. */
static struct persecond estimate(void)
{
	struct override override;

	if (work.told)
		return *work.told;
	override.boot[0] = 0;
	file_guard_call(call_read, &override);
	work.persecond = (struct persecond){ PERSECOND_BLIND, PERSECOND_DEFAULT };
	file_guard_call(call_estimate, &override);
	return work.persecond;
}

/* Whether that source speaks of the time-stamp counter itself. */
static bool tells_tsc(enum persecond_source source)
{
	switch (source) {
	case PERSECOND_TSC_FREQ_KHZ:
	case PERSECOND_SYSCTL_TSC:
	case PERSECOND_CPUID_TSC:
	case PERSECOND_HYPERVISOR_TSC:
	case PERSECOND_PERF_PAGE:
		return true;
	default:
		return false;
	}
}

struct rate choose_rate(const struct candidate *c, const struct persecond *persecond)
{
	const struct rate unknown = { 0, 0 };

	/* An OS clock keeps time by definition, whatever an oscillator says of it. */
	if (c->counter->class == COUNTER_OS_CLOCK)
		return (struct rate){ persecond->hz, 0 };
	if (c->counter->class != COUNTER_OFF_CORE)
		return unknown;
	if (c->measured.hz)
		return c->measured;
	if (c->hz)
		return (struct rate){ (c->hz * c->scaling.num + c->scaling.den / 2) / c->scaling.den,
				      RATE_TOLD_PPM };
	/* The only counters beside the core that have no rate of their own. */
	if (!c->counter->rate && tells_tsc(persecond->source))
		return (struct rate){ persecond->hz, RATE_TOLD_PPM };
	return unknown;
}

static bool same_scale(const struct candidate *a, const struct candidate *b)
{
	return a->hz == b->hz && a->scaling.num == b->scaling.num && a->scaling.den == b->scaling.den;
}

/* Ready this counter at choice->persecond. False: it does not work here, and the
 * candidate says why. */
static bool use(struct candidate *candidate, struct choice *choice)
{
	struct candidate now = { .counter = candidate->counter };

	choice->counter = candidate->counter;
	if (!probe_briefly(candidate->counter, choice->persecond.hz, candidate->hz, &now)) {
		candidate->reason = now.reason;
		candidate->detail = now.detail;
		return false;
	}
	if (same_scale(candidate, &now))
		now.measured = candidate->measured;
	probe_keep_rate(now.counter, now.hz);
	choice->rate = choose_rate(&now, &choice->persecond);
	return true;
}

static bool is_as_told(const struct persecond *cached)
{
	return !work.told || cached->hz == work.told->hz;
}

/* The first in rank order that works in this process. */
static bool from_cache(struct choice *choice)
{
	work.verdict.status = CACHE_UNTRUSTED;
	file_guard_call(call_load, NULL);
	choice->cache_status = work.verdict.status;
	if (choice->cache_status == CACHE_USED && !is_as_told(&work.cache.persecond))
		choice->cache_status = CACHE_STALE_PERSECOND;
	if (choice->cache_status != CACHE_USED)
		return false;
	choice->persecond = work.told ? *work.told : work.cache.persecond;
	for (size_t i = 0; i < work.cache.usable; i++) {
		/* Chosen by a probe only, when nothing else works. */
		if (work.cache.candidates[i].counter->class == COUNTER_LAST_RESORT)
			continue;
		if (!use(&work.cache.candidates[i], choice))
			continue;
		choice->from_cache = true;
		return true;
	}
	choice->cache_status = CACHE_NO_COUNTER;
	return false;
}

/* Index of the counter that the environment names; counters_count if none. */
static size_t named(void)
{
	const char *name = environment_get("CPUCYCLES_COUNTER");

	return name ? counters_find(name) : counters_count;
}

/* The one that the environment names, if it works here. */
static bool by_name(struct choice *choice)
{
	size_t i = named();
	struct candidate candidate = { .counter = i < counters_count ? counters[i] : NULL };

	return candidate.counter && use(&candidate, choice);
}

/* Ready the best that still works; between probe and use a descriptor may have gone. */
static bool use_winner(struct candidate candidates[], struct choice *choice)
{
	size_t winner = selection_winner(candidates, counters_count);

	return winner < counters_count && use(&candidates[winner], choice);
}

/* Until one works: what was usable a moment ago may not be any more. */
static void use_best(struct candidate candidates[], struct choice *choice)
{
	for (size_t i = 0; i < counters_count; i++)
		if (use_winner(candidates, choice))
			return;
	choice->counter = counters_last_resort();
	choice->rate = (struct rate){ 0, 0 };
}

static void by_probe(struct choice *choice)
{
	probe_all(choice->persecond.hz, true, found);
	if (use_winner(found, choice))
		return;
	/* What was pruned may be the winner now. */
	probe_all(choice->persecond.hz, false, found);
	use_best(found, choice);
}

static void by_full_probe(struct candidate results[], struct choice *choice)
{
	probe_all(choice->persecond.hz, false, results);
	memcpy(found, results, counters_count * sizeof results[0]);
	if (!by_name(choice))
		use_best(found, choice);
}

static void make_choice(const struct choose_options *options, struct choice *choice)
{
	struct cache_context cache = options->cache;
	bool cache_wanted = choose_cache(&cache);

	work.context = &cache;
	work.told = options->before ? &options->before->persecond : NULL;
	choice->from_cache = false;
	choice->cache_status = CACHE_DISABLED;
	if (options->full_probe) {
		choice->persecond = estimate();
		by_full_probe(options->full_probe, choice);
		return;
	}
	if (named() < counters_count) {
		choice->persecond = estimate();
		if (by_name(choice))
			return;
	}
	if (cache_wanted && from_cache(choice))
		return;
	choice->persecond = estimate();
	by_probe(choice);
}

void choose(const struct choose_options *options, struct choice *choice)
{
	const struct counter *before = options->before ? options->before->counter : NULL;

	make_choice(options, choice);
	/* What counters give back in the same way is one thing, and is in use again. */
	if (before && before->teardown != choice->counter->teardown)
		probe_teardown(before);
}
