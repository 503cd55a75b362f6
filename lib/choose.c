/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "choose.h"
#include "environment.h"
#include "guard.h"
#include "probe.h"

#include <string.h>

/* What the steps below share. Too large for a small stack, and one choice is made
 * at a time. */
static struct {
	const struct cache_context *context;
	struct cache cache;
	struct cache_verdict verdict;
	struct persecond persecond;
	struct candidate candidates[COUNTERS_MAX];
} work;

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

static void call_estimate(void *unused)
{
	struct persecond_file file;
	char boot[MACHINE_BOOT_SIZE];

	(void)unused;
	frequency_read_file(work.context->persecond_path, &file);
	boot[0] = 0;
	if (file.ours)
		machine_boot(boot);
	work.persecond = frequency_estimate(&file, boot, "", true);
}

/* A sandbox that answers a look at a file with a signal leaves the blind default. */
static struct persecond estimate(void)
{
	work.persecond = (struct persecond){ PERSECOND_BLIND, PERSECOND_DEFAULT };
	guard_call(call_estimate, NULL);
	return work.persecond;
}

/* The first in rank order that works in this process. */
static bool from_cache(struct choice *choice)
{
	work.verdict.status = CACHE_UNTRUSTED;
	guard_call(call_load, NULL);
	choice->cache_status = work.verdict.status;
	if (choice->cache_status != CACHE_USED)
		return false;
	for (size_t i = 0; i < work.cache.usable; i++) {
		struct candidate now;

		choice->counter = work.cache.candidates[i].counter;
		if (!probe_briefly(choice->counter, work.cache.persecond.hz, &now))
			continue;
		choice->persecond = work.cache.persecond;
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
	struct candidate now;

	if (i == counters_count)
		return false;
	choice->counter = counters[i];
	return probe_briefly(counters[i], choice->persecond.hz, &now);
}

/* Ready the best that still works; between probe and use a descriptor may have gone. */
static bool use_winner(struct candidate candidates[], struct choice *choice)
{
	size_t winner = selection_winner(candidates, counters_count);
	struct candidate now;

	if (winner == counters_count)
		return false;
	choice->counter = candidates[winner].counter;
	if (probe_briefly(choice->counter, choice->persecond.hz, &now))
		return true;
	candidates[winner].reason = now.reason;
	candidates[winner].detail = now.detail;
	return false;
}

/* Until one works: what was usable a moment ago may not be any more. */
static void use_best(struct candidate candidates[], struct choice *choice)
{
	for (size_t i = 0; i < counters_count; i++)
		if (use_winner(candidates, choice))
			return;
	choice->counter = counters_last_resort();
}

static void by_probe(struct choice *choice)
{
	probe_all(choice->persecond.hz, true, work.candidates);
	if (use_winner(work.candidates, choice))
		return;
	/* What was pruned may be the winner now. */
	probe_all(choice->persecond.hz, false, work.candidates);
	use_best(work.candidates, choice);
}

static void by_full_probe(struct candidate results[], struct choice *choice)
{
	probe_all(choice->persecond.hz, false, results);
	memcpy(work.candidates, results, counters_count * sizeof results[0]);
	if (!by_name(choice))
		use_best(work.candidates, choice);
}

void choose(const struct choose_options *options, struct choice *choice)
{
	struct cache_context cache = options->cache;
	bool cache_wanted = choose_cache(&cache);

	work.context = &cache;
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
