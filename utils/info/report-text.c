/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The report as lines for people and for scripts. */

#include "config.h"

#include "cpucycles.h"
#include "explain.h"
#include "observe.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static void print_differences(void)
{
	long long differences[OBSERVE_DIFFERENCES];
	const long long mean = observe_differences(differences);

	printf("cpucycles iqm %lld ", mean);
	for (size_t i = 0; i < OBSERVE_DIFFERENCES; i++)
		printf("%+lld", differences[i] - mean);
	printf("\n");
}

static void print_loops(void)
{
	struct observe_loop loops[OBSERVE_LOOPS];

	observe_loops(loops);
	for (size_t i = 0; i < OBSERVE_LOOPS; i++)
		printf("cpucycles observed persecond %" PRIu64 "...%" PRIu64 " with %" PRIu32
		       " loops %" PRIu64 " microseconds\n",
		       loops[i].persecond.low, loops[i].persecond.high, loops[i].loops,
		       loops[i].us);
}

/* Whether the library of this process started from the cache. */
static void print_use(const char *status)
{
	printf("cpucycles cache %s status %s\n",
	       strcmp(status, cache_status_name(CACHE_USED)) ? "not in use" : "in use", status);
}

void report_plain(void)
{
	/* What a program's first call finds. The lines of tracesetup need a probe, not the cache.
	 */
	const char *status = cpucycles_cache_status();

	printf("cpucycles version %s\n", cpucycles_version());
	/* The library prints lines next. It may have a standard output with a buffer of its own. */
	fflush(stdout);
	cpucycles_tracesetup();
	cpucycles_reselect();
	printf("cpucycles persecond %lld\n", cpucycles_persecond());
	printf("cpucycles implementation %s\n", cpucycles_implementation());
	print_differences();
	print_loops();
	printf("cpucycles frequency source %s\n", cpucycles_persecond_source());
	print_use(status);
}

static void print_usable(const char *where, size_t rank, const struct candidate *c)
{
	printf("cpucycles %s rank %zu %s class %s precision %" PRIu64 " hz %" PRIu64
	       " scaling %.6f",
	       where, rank, c->counter->name, counter_class_name(c->counter->class), c->precision,
	       c->hz, (double)c->scaling.num / (double)c->scaling.den);
}

static void print_measured(struct rate rate)
{
	if (rate.hz)
		printf(" measured %" PRIu64 " ppm %" PRIu32, rate.hz, rate.ppm);
	else
		printf(" measured unknown");
}

static void print_unusable(const struct inspection *in, const char *where,
			   const struct candidate *c)
{
	char text[EXPLAIN_TEXT];

	explain_reason(c, &in->knobs, text);
	printf("cpucycles %s unusable %s reason %s: %s", where, c->counter->name,
	       reason_name(c->reason), text);
}

static void print_file(const struct inspection *in)
{
	char path[EXPLAIN_TEXT], when[sizeof "2026-11-21T00:00:00Z"];
	struct tm tm;

	explain_path(in->context.path, path);
	printf("cpucycles cache path %s named by %s\n", path,
	       in->context.own ? "CPUCYCLES_CACHE" : "default");
	if (!in->exists || !gmtime_r(&in->file.st_mtime, &tm) ||
	    !strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &tm))
		return;
	printf("cpucycles cache written %s age %lld seconds\n", when,
	       (long long)time(NULL) - (long long)in->file.st_mtime);
}

static const char *same(const char *a, const char *b)
{
	return strcmp(a, b) ? "not this one" : "this one";
}

static void print_ranking(const struct inspection *in)
{
	const struct cache *cache = &in->cache;

	for (size_t i = 0; i < counters_count; i++) {
		const struct candidate *c = &cache->candidates[i];

		if (i < cache->usable) {
			print_usable("cache", i + 1, c);
			print_measured(c->measured);
		} else {
			print_unusable(in, "cache", c);
		}
		printf("\n");
	}
}

static void print_content(const struct inspection *in)
{
	const struct cache *cache = &in->cache;

	printf("cpucycles cache boot %s (%s)\n", cache->boot, same(cache->boot, in->boot));
	printf("cpucycles cache machine %s (%s)\n", cache->machine,
	       same(cache->machine, in->machine));
	printf("cpucycles cache fingerprint %s\n", cache->fingerprint);
	printf("cpucycles cache library %s\n", cache->library);
	printf("cpucycles cache persecond %" PRIu64 " source %s\n", cache->persecond.hz,
	       frequency_source_name(cache->persecond.source));
	printf("cpucycles cache core");
	print_measured(cache->core);
	printf("\n");
	for (unsigned i = 0; i < CACHE_FACTS; i++)
		printf("cpucycles cache fact %s %s\n", cache_fact_name((enum cache_fact)i),
		       cache->facts[i]);
	print_ranking(in);
}

static void print_rates(const struct inspection *in)
{
	char contradiction[EXPLAIN_TEXT];

	printf("cpucycles persecond %lld source %s ppm ", in->persecond.hz, in->persecond.source);
	if (in->persecond.ppm < 0)
		printf("unknown\n");
	else
		printf("%lld\n", in->persecond.ppm);
	printf("cpucycles hz %lld source %s ppm %lld\n", in->rate.hz, in->rate.source,
	       in->rate.ppm);
	if (in->rate.why)
		printf("cpucycles hz unknown: %s\n", in->rate.why);
	if (in->disagreement)
		printf("cpucycles disagreement: %s\n", in->disagreement);
	explain_contradiction(in, contradiction);
	if (contradiction[0])
		printf("cpucycles contradiction: %s\n", contradiction);
}

void report_summary(const struct inspection *in)
{
	struct summary summary;

	summary_make(in, &summary);
	printf("%s\n%s\n%s\n\n", summary.counter, summary.better, summary.remedy);
}

static void print_ignored(const struct inspection *in)
{
	struct ignored ignored;

	explain_ignored(in, &ignored);
	if (ignored.file[0])
		printf("cpucycles persecond file ignored: %s\n", ignored.file);
	if (in->environment_ignored)
		printf("cpucycles environment ignored: this process is set-id or has file"
		       " capabilities\n");
	if (ignored.counter[0])
		printf("cpucycles environment ignored: %s\n", ignored.counter);
	if (ignored.persecond[0])
		printf("cpucycles environment ignored: %s\n", ignored.persecond);
}

void report_cache(const struct inspection *in)
{
	struct explanation explanation;

	explain_cache(in, &explanation);
	print_use(in->status);
	printf("cpucycles implementation %s selection %s\n", in->implementation, in->selection);
	print_rates(in);
	print_ignored(in);
	if (in->wanted)
		print_file(in);
	if (in->wanted && in->cache.library[0])
		print_content(in);
	if (explanation.problem[0])
		printf("cpucycles cache problem: %s\n", explanation.problem);
	if (explanation.remedy[0])
		printf("cpucycles cache remedy: %s\n", explanation.remedy);
}

void report_core_cycles(const struct inspection *in)
{
	char text[EXPLAIN_TEXT];

	if (explain_core_cycles(in, text) || explain_core_in_use(in, text))
		printf("cpucycles core cycles: %s\n", text);
}

static void print_cached(const struct inspect_difference *d)
{
	if (!d->cached)
		printf("; not cached");
	else if (!d->cached_rank)
		printf("; cached unusable %s", reason_name(d->cached->reason));
	else
		printf("; cached rank %zu precision %" PRIu64, d->cached_rank,
		       d->cached->precision);
	if (d->cached_rank)
		print_measured(d->cached->measured);
	if (d->marks[0])
		printf("; differs:");
	for (size_t i = 0; d->marks[i]; i++)
		printf(" %s", d->marks[i]);
	printf("\n");
}

void report_probe(const struct inspection *in)
{
	size_t differences = 0;

	printf("cpucycles probe persecond %lld source %s\n", in->persecond.hz,
	       in->persecond.source);
	for (size_t i = 0; i < counters_count; i++) {
		struct inspect_difference d = inspect_difference(in, i);

		if (d.fresh_rank)
			print_usable("probe", d.fresh_rank, &in->fresh[i]);
		else
			print_unusable(in, "probe", &in->fresh[i]);
		print_cached(&d);
		differences += d.marks[0] != NULL;
	}
	if (in->cache.library[0])
		printf("cpucycles probe differences %zu\n", differences);
	else
		printf("cpucycles probe differences unknown: no cached ranking\n");
}
