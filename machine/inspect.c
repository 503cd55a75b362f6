/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "choose.h"
#include "cpucycles.h"
#include "disagree.h"
#include "environment.h"
#include "file.h"
#include "guard.h"
#include "inspect.h"
#include "probe.h"
#include "publish.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

bool inspect_in_use(const struct inspection *inspection)
{
	return !strcmp(inspection->status, cache_status_name(CACHE_USED));
}

static bool has_cached_ranking(const struct inspection *in)
{
	return inspect_in_use(in) && in->cache.library[0];
}

/* At 1 THz, they take a second. */
#define MANY_COUNTS 1000000000000LL

static void ask_library(struct inspection *in)
{
	long long ns;

	in->implementation = cpucycles_implementation();
	in->selection = cpucycles_selection_source();
	in->status = cpucycles_cache_status();
	in->persecond.hz = cpucycles_persecond();
	in->persecond.source = cpucycles_persecond_source();
	in->rate.hz = cpucycles_hz();
	in->rate.ppm = cpucycles_hz_ppm();
	ns = cpucycles_nanoseconds(MANY_COUNTS);
	in->second = ns > 0 ? (double)MANY_COUNTS / (double)ns * 1e9 : 0;
}

const char *inspect_rate_source(enum counter_class class, struct rate rate,
				const struct rate *measured)
{
	if (class != COUNTER_OFF_CORE && class != COUNTER_OS_CLOCK)
		return "none";
	if (rate.hz == 0)
		return "unknown";
	if (class == COUNTER_OS_CLOCK)
		return "definition";
	if (measured && measured->hz == rate.hz && measured->ppm == rate.ppm)
		return "measured";
	return "told";
}

/* The counter in the cache in use; NULL if no cache is in use. */
static const struct candidate *cached(const struct inspection *in, const char *name)
{
	for (size_t i = 0; has_cached_ranking(in) && i < in->cache.usable; i++)
		if (!strcmp(in->cache.candidates[i].counter->name, name))
			return &in->cache.candidates[i];
	return NULL;
}

/* The bound of a measured persecond, which is the core's frequency, or else the rate of a counter.
 * Negative: it was not measured, or the bound is unknown. */
static long long persecond_ppm(const struct cache *cache)
{
	const uint64_t hz = cache->persecond.hz, core = cache->core.hz;
	double off;

	if (cache->persecond.source != PERSECOND_MEASURED)
		return -1;
	if (core == hz)
		return cache->core.ppm;
	if (core) {
		/* A restamp may have kept a number that is near the core's. */
		off = (double)(hz > core ? hz - core : core - hz) * 1e6;
		off = (off + (double)cache->core.ppm * (double)core) / (double)hz + 1;
		return off < RATE_PPM_MAX ? (long long)off : RATE_PPM_MAX;
	}
	for (size_t i = 0; i < cache->usable; i++)
		if (cache->candidates[i].measured.hz == hz)
			return cache->candidates[i].measured.ppm;
	return -1;
}

/* Set what the library does not tell: where its rate comes from, or why it has none; the error of
 * persecond; and which of the measured figures disagrees. A cache in use knows the time-stamp
 * counter of the moment of the measurement. */
static void judge(struct inspection *in)
{
	const struct candidate *c = cached(in, in->implementation);
	struct rate rate = { (uint64_t)in->rate.hz, (uint32_t)in->rate.ppm };
	size_t i = counters_find(in->implementation);
	enum counter_class class =
		i < counters_count ? counters_list[i]->class : COUNTER_LAST_RESORT;

	in->rate.source = inspect_rate_source(class, rate, c ? &c->measured : NULL);
	in->rate.why = NULL;
	if (i < counters_count && counter_reads_tsc(counters_list[i]) && !in->rate.hz)
		in->rate.why = disagree_unsteady(c ? in->cache.facts[FACT_TSC] :
						     machine_tsc_name(in->tsc));
	in->persecond.ppm = -1;
	in->disagreement = NULL;
	if (!c)
		return;
	in->persecond.ppm = persecond_ppm(&in->cache);
	in->disagreement = disagree_sentence(&in->cache, c);
}

static bool is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

static bool is_ignored(void)
{
	return environment_is_hostile() &&
	       (is_set("CPUCYCLES_CACHE") || is_set("CPUCYCLES_COUNTER") ||
		is_set("cpucyclespersecond"));
}

static void call_load(void *argument)
{
	struct inspection *in = argument;

	in->found = cache_load(&in->context, &in->cache);
}

static void call_read_persecond(void *argument)
{
	struct inspection *in = argument;

	persecond_look(in->context.persecond_path, &in->persecond_file, in->persecond_text);
}

static void call_identity(void *argument)
{
	struct inspection *in = argument;

	machine_identity(in->machine);
}

static void call_knobs(void *argument)
{
	struct inspection *in = argument;

	knobs_read("", &in->knobs);
}

static void call_tsc(void *tsc)
{
	*(enum machine_tsc *)tsc = machine_ask_tsc();
}

/* What a try of the counter finds here. reason is REASON_NONE if it works. hz: as probe_briefly
 * takes it. */
static struct candidate try_counter(const struct counter *counter, uint64_t persecond, uint64_t hz)
{
	struct candidate now = { 0 };

	if (probe_briefly(counter, persecond, hz, &now))
		probe_teardown(counter);
	return now;
}

static bool works(const struct counter *counter, uint64_t persecond, uint64_t hz)
{
	return try_counter(counter, persecond, hz).reason == REASON_NONE;
}

/* Root ranks counters that other users may not have. */
static void try_core_counters(struct inspection *in)
{
	memset(in->tried, 0, sizeof in->tried);
	for (size_t i = 0; i < in->cache.usable; i++) {
		const struct candidate *c = &in->cache.candidates[i];

		if (counter_counts_core(c->counter->class))
			in->tried[i] = try_counter(c->counter, in->cache.persecond.hz, c->hz);
	}
}

const struct candidate *inspect_ranking(const struct inspection *in)
{
	return has_cached_ranking(in) ? in->cache.candidates : in->fresh;
}

const struct candidate *inspect_core_counter(const struct inspection *in, size_t *rank)
{
	const bool cached = has_cached_ranking(in);
	const struct candidate *ranking = inspect_ranking(in);
	bool after = false;

	for (size_t i = 0; i < counters_count && ranking[i].counter; i++) {
		const struct candidate *c = &ranking[i];

		if (c->reason != REASON_NONE)
			break;
		if (!strcmp(c->counter->name, in->implementation))
			after = true;
		if (!counter_counts_core(c->counter->class) ||
		    (cached && in->tried[i].reason != REASON_NONE))
			continue;
		*rank = i + 1;
		return after && strcmp(c->counter->name, in->implementation) ? c : NULL;
	}
	return NULL;
}

/* Whether the library, which tries the ranked counters in this order, would find one that works. */
static bool any_counter_works(const struct cache *cache)
{
	for (size_t i = 0; i < cache->usable; i++)
		if (works(cache->candidates[i].counter, cache->persecond.hz,
			  cache->candidates[i].hz))
			return true;
	return false;
}

/* Whether the environment names a counter that works here. If so, the library looks at no cache. */
static bool named_counter_works(struct inspection *in)
{
	const char *name = environment_get(ENVIRONMENT_COUNTER);
	size_t i = name ? counters_find(name) : counters_count;

	return i < counters_count && works(counters_list[i], (uint64_t)in->persecond.hz, 0);
}

/* Do something under the guard. False: the guard cannot be had. */
static bool under_guard(void (*act)(void *), void *argument)
{
	struct guard guard;
	bool is_installed;

	if (guard_acquire(&guard) != LOCK_TAKEN)
		return false;
	is_installed = guard_install(&guard, GUARD_ALL);
	if (is_installed)
		act(argument);
	guard_release(&guard);
	return is_installed;
}

/* The second look, under the guard. */
static void look_again(void *argument)
{
	struct inspection *in = argument;

	guard_call(call_identity, in);
	file_guard_call(call_knobs, in);
	file_guard_call(call_read_persecond, in);
	in->tsc = MACHINE_TSC_NONE;
	file_guard_call(call_tsc, &in->tsc);
	in->found = (struct cache_verdict){ CACHE_UNTRUSTED, 0, 0 };
	if (in->wanted)
		in->signal = file_guard_call(call_load, in);
	if (!in->wanted || in->signal)
		in->cache.library[0] = 0;
	if (!in->wanted || named_counter_works(in))
		in->found.status = CACHE_DISABLED;
	else if (in->found.status == CACHE_USED && !any_counter_works(&in->cache))
		in->found.status = CACHE_NO_COUNTER;
	if (in->found.status == CACHE_USED)
		try_core_counters(in);
}

_Static_assert(PUBLISH_TEXT_MAX == CACHE_SIZE_MAX, "what is longer is no cache");

int inspect_may_replace(const char *path, int folder, const char *name)
{
	return strcmp(path, CACHE_PATH) ? publish_may_replace(folder, name, CACHE_BEGINNING) : 0;
}

bool inspect_cache(struct inspection *in)
{
	ask_library(in);
	in->context = (struct cache_context){
		.path = CACHE_PATH,
		.persecond_path = PERSECOND_PATH,
	};
	environment_read();
	in->wanted = choose_cache(&in->context);
	in->environment_ignored = is_ignored();
	in->boot_error = machine_boot(in->boot);
	service_look("", &in->service);
	in->exists = in->wanted && !lstat(in->context.path, &in->file);
	in->may_replace =
		inspect_may_replace(in->context.path, AT_FDCWD, in->context.path) != -EEXIST;
	if (!under_guard(look_again, in))
		return false;
	judge(in);
	return true;
}

static void probe(void *argument)
{
	struct inspection *in = argument;

	probe_all((uint64_t)in->persecond.hz, false, in->fresh);
}

bool inspect_probe(struct inspection *in)
{
	if (!under_guard(probe, in))
		return false;
	selection_rank(in->fresh, counters_count);
	return true;
}

static void call_model(void *model)
{
	model_read("", model);
}

static void look_at_model(void *model)
{
	/* Where the look ends with a signal, a part of the name may stand there. */
	if (file_guard_call(call_model, model))
		strcpy(model, MACHINE_ARCHITECTURE);
}

void inspect_model(char model[MODEL_SIZE])
{
	if (!under_guard(look_at_model, model))
		strcpy(model, MACHINE_ARCHITECTURE);
}

static size_t rank_of(const struct candidate *candidate, size_t i)
{
	return candidate->reason == REASON_NONE ? i + 1 : 0;
}

/* Whether they differ by more than two measurements of the same counter do. */
static bool precision_differs(uint64_t a, uint64_t b)
{
	uint64_t larger = a > b ? a : b, smaller = a > b ? b : a;

	return larger - smaller > larger / 100 * INSPECT_PRECISION_PERCENT +
					  larger % 100 * INSPECT_PRECISION_PERCENT / 100;
}

static void compare(const struct candidate *fresh, struct inspect_difference *d)
{
	const struct candidate *cached = d->cached;
	const char **mark = d->marks;

	if (!d->fresh_rank != !d->cached_rank) {
		*mark = d->fresh_rank ? "newly-usable" : "newly-unusable";
		return;
	}
	if (d->fresh_rank != d->cached_rank)
		*mark++ = "rank";
	if (d->fresh_rank && precision_differs(fresh->precision, cached->precision))
		*mark = "precision";
	if (!d->fresh_rank && (fresh->reason != cached->reason || fresh->detail != cached->detail))
		*mark = "reason";
}

struct inspect_difference inspect_difference(const struct inspection *in, size_t i)
{
	const struct candidate *fresh = &in->fresh[i];
	struct inspect_difference d = { .fresh_rank = rank_of(fresh, i) };

	if (!in->cache.library[0])
		return d;
	for (size_t j = 0; j < counters_count; j++) {
		if (in->cache.candidates[j].counter != fresh->counter)
			continue;
		d.cached = &in->cache.candidates[j];
		d.cached_rank = rank_of(d.cached, j);
		compare(fresh, &d);
	}
	return d;
}
