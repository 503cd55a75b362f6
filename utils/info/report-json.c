/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The report as JSON. */

#include "config.h"

#include "report.h"

#ifdef HAVE_JANSSON

#include "cpucycles.h"
#include "explain.h"
#include "json-text.h"
#include "observe.h"

#include <float.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* json_pack fails when a value that it is given is NULL, so only the last result is checked. */

static const char *or_null(const char *text)
{
	return text[0] ? text : NULL;
}

/* ppm: negative if unknown. */
static json_t *persecond_value(long long hz, const char *source, long long ppm)
{
	return json_pack("{s:I, s:s, s:o}", "hz", (json_int_t)hz, "source", source, "ppm",
			 ppm < 0 ? json_null() : json_integer((json_int_t)ppm));
}

/* A measured rate; null if it was not measured. */
static json_t *measured_value(struct rate rate)
{
	if (rate.hz == 0)
		return json_null();
	return json_pack("{s:I, s:I}", "hz", (json_int_t)rate.hz, "ppm", (json_int_t)rate.ppm);
}

/* The rate of the counter in use. */
static json_t *rate_value(const struct inspection *in)
{
	if (in->rate.hz == 0)
		return json_pack("{s:n, s:s, s:n, s:s?}", "hz", "source", in->rate.source, "ppm",
				 "why", in->rate.why);
	return json_pack("{s:I, s:s, s:I, s:n}", "hz", (json_int_t)in->rate.hz, "source",
			 in->rate.source, "ppm", (json_int_t)in->rate.ppm, "why");
}

static json_t *facts_value(const struct cache *cache)
{
	json_t *object = json_object();

	for (unsigned i = 0; i < CACHE_FACTS; i++) {
		const char *fact = cache->facts[i];

		object = json_with(object, cache_fact_name((enum cache_fact)i),
				   strcmp(fact, "unknown") ? json_string(fact) : json_null());
	}
	return object;
}

/* rank: 0 if unusable. */
static json_t *candidate_value(const struct inspection *in, const struct candidate *c, size_t rank)
{
	char text[EXPLAIN_TEXT];
	json_t *value =
		json_pack("{s:s, s:s, s:i, s:b, s:b}", "name", c->counter->name, "class",
			  counter_class_name(c->counter->class), "width", (int)c->counter->width,
			  "own_thread", c->counter->own_thread, "usable", rank > 0);

	if (rank) {
		value = json_with(value, "rank", json_integer((json_int_t)rank));
		value = json_with(value, "precision", json_integer((json_int_t)c->precision));
		value = json_with(value, "hz", json_integer((json_int_t)c->hz));
		return json_with(value, "scaling",
				 json_real((double)c->scaling.num / (double)c->scaling.den));
	}
	explain_reason(c, &in->knobs, text);
	value = json_with(value, "reason", json_string(reason_name(c->reason)));
	value = json_with(value, "detail", json_integer(c->detail));
	return json_with(value, "message", json_string(text));
}

static json_t *cached_value(const struct inspection *in, const struct candidate *c, size_t rank)
{
	json_t *value = candidate_value(in, c, rank);

	return rank ? json_with(value, "measured", measured_value(c->measured)) : value;
}

static json_t *ranking_value(const struct inspection *in)
{
	const struct cache *cache = &in->cache;
	json_t *array = json_array();

	for (size_t i = 0; i < counters_count; i++)
		array = json_append(array, cached_value(in, &cache->candidates[i],
							i < cache->usable ? i + 1 : 0));
	return array;
}

/* What the cache says; null if it is not whole. */
static json_t *content_value(const struct inspection *in)
{
	const struct cache *cache = &in->cache;

	if (!in->wanted || !cache->library[0])
		return json_null();
	return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:o}", "library", cache->library,
			 "boot", cache->boot, "machine", cache->machine, "fingerprint",
			 cache->fingerprint, "persecond",
			 persecond_value((long long)cache->persecond.hz,
					 frequency_source_name(cache->persecond.source),
					 cache->persecond.source == PERSECOND_MEASURED ?
						 (long long)cache->core.ppm :
						 -1),
			 "core", measured_value(cache->core), "facts", facts_value(cache),
			 "counters", ranking_value(in));
}

static json_t *file_value(const struct inspection *in)
{
	const struct stat *file = &in->file;

	if (!in->exists)
		return json_null();
	return json_pack("{s:I, s:i, s:I, s:I, s:I}", "owner", (json_int_t)file->st_uid, "mode",
			 (int)(file->st_mode & 07777), "size", (json_int_t)file->st_size, "written",
			 (json_int_t)file->st_mtime, "age",
			 (json_int_t)(time(NULL) - file->st_mtime));
}

static json_t *cache_value(const struct inspection *in)
{
	struct explanation explanation;

	explain_cache(in, &explanation);
	return json_pack("{s:s, s:b, s:s, s:o, s:s, s:b, s:i, s:i, s:o, s:o, s:o, s:o}", "status",
			 in->status, "used", inspect_in_use(in), "found",
			 cache_status_name(in->found.status), "path",
			 in->wanted ? json_of_text(in->context.path) : json_null(), "named_by",
			 in->context.own ? "environment" : "default", "environment_ignored",
			 in->environment_ignored, "line", (int)in->found.line, "errno",
			 -in->found.error, "file", file_value(in), "content", content_value(in),
			 "problem", json_of_sentence(explanation.problem), "remedy",
			 json_of_sentence(explanation.remedy));
}

/* A counter of the fresh probe, with its differences from the cached ranking. */
static json_t *fresh_value(const struct inspection *in, size_t i)
{
	struct inspect_difference d = inspect_difference(in, i);
	json_t *value = candidate_value(in, &in->fresh[i], d.fresh_rank);
	json_t *marks = d.cached ? json_array() : json_null();

	for (const char **mark = d.marks; *mark; mark++)
		marks = json_append(marks, json_string(*mark));
	return json_with(value, "differences", marks);
}

static json_t *probe_value(const struct inspection *in)
{
	json_t *array = json_array();

	for (size_t i = 0; i < counters_count; i++)
		array = json_append(array, fresh_value(in, i));
	return array;
}

/* The counter of core cycles that could be had instead; null if there is none. */
static json_t *core_cycles_value(const struct inspection *in)
{
	char text[EXPLAIN_TEXT];
	size_t rank;
	const struct candidate *c = inspect_core_counter(in, &rank);

	if (!c || !explain_core_cycles(in, text))
		return json_null();
	return json_pack("{s:s, s:s, s:I, s:s}", "name", c->counter->name, "class",
			 counter_class_name(c->counter->class), "rank", (json_int_t)rank, "message",
			 text);
}

static json_t *iqm_value(void)
{
	long long differences[OBSERVE_DIFFERENCES];
	const long long mean = observe_differences(differences);
	json_t *array = json_array();

	for (size_t i = 0; i < OBSERVE_DIFFERENCES; i++)
		array = json_append(array, json_integer(differences[i] - mean));
	return json_pack("{s:I, s:o}", "mean", (json_int_t)mean, "differences", array);
}

static json_t *observed_value(void)
{
	struct observe_loop loops[OBSERVE_LOOPS];
	json_t *array = json_array();

	observe_loops(loops);
	for (size_t i = 0; i < OBSERVE_LOOPS; i++) {
		const struct observe_loop *l = &loops[i];

		array = json_append(array,
				    json_pack("{s:I, s:I, s:I, s:I}", "loops", (json_int_t)l->loops,
					      "microseconds", (json_int_t)l->us, "low",
					      (json_int_t)l->persecond.low, "high",
					      (json_int_t)l->persecond.high));
	}
	return array;
}

/* The sentences on the environment's variables that cannot be obeyed. */
static json_t *variables_value(const struct ignored *ignored)
{
	const char *const sentences[] = { ignored->counter, ignored->persecond };
	json_t *array = json_array();

	for (size_t i = 0; i < sizeof sentences / sizeof sentences[0]; i++)
		if (sentences[i][0])
			array = json_append(array, json_of_text(sentences[i]));
	return array;
}

bool report_json(const struct inspection *in)
{
	char contradiction[EXPLAIN_TEXT];
	struct ignored ignored;
	json_t *root;

	explain_contradiction(in, contradiction);
	explain_ignored(in, &ignored);
	root = json_pack("{s:s, s:s, s:s, s:o, s:o, s:s?, s:o, s:o, s:o, s:o, s:s?, s:s?, s:o, s:o,"
			 " s:o, s:o}",
			 "version", cpucycles_version(), "implementation", in->implementation,
			 "selection", in->selection, "persecond",
			 persecond_value(in->persecond.hz, in->persecond.source, in->persecond.ppm),
			 "rate", rate_value(in), "disagreement", in->disagreement, "contradiction",
			 json_of_sentence(contradiction), "core_cycles", core_cycles_value(in),
			 "persecond_file_ignored", json_of_sentence(ignored.file),
			 "variables_ignored", variables_value(&ignored), "boot", or_null(in->boot),
			 "machine", or_null(in->machine), "cache", cache_value(in), "probe",
			 probe_value(in), "iqm", iqm_value(), "observed", observed_value());
	return json_print(root, DBL_DECIMAL_DIG, stdout);
}

#endif
