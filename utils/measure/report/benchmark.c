/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "benchmark.h"
#include "json.h"
#include "letters.h"

#ifdef HAVE_JANSSON

#include "json-text.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NAME 1024

/* The name that google/benchmark gives a function with an argument. */
static const char *run_name(const struct outcome *outcome, const struct target *target,
			    char name[NAME])
{
	if (!target->sized)
		return target->label;
	snprintf(name, NAME, "%.*s/%zu", letters_within(target->label, 900), target->label,
		 outcome->size);
	return name;
}

/* What all entries of a function have. */
static json_t *entry(const char *name, const char *run, size_t repetitions, const char *type)
{
	return json_pack("{s:o, s:o, s:I, s:i, s:s}", "name", json_of_text(name), "run_name",
			 json_of_text(run), "repetitions", (json_int_t)repetitions, "threads", 1,
			 "run_type", type);
}

/* The times of one layout or of all. */
static json_t *with_times(json_t *value, const struct outcome *outcome,
			  const struct outcome_function *function,
			  const struct cpucycles_result *result, uint64_t calls)
{
	const double mean = result->iqm, ns = outcome_ns(outcome, function, mean);
	const size_t bytes = function->target->bytes;

	value = json_with(value, "iterations", json_integer((json_int_t)calls));
	value = json_with(value, outcome_unit(outcome), json_of_real(mean));
	if (measured_has_cycles(result))
		value = json_with(value, "core_cycles", json_real(result->cycles));
	value = json_with(value, "real_time", json_of_real(ns));
	value = json_with(value, "cpu_time", json_of_real(ns));
	value = json_with(value, "time_unit", json_string("ns"));
	if (bytes && ns > 0)
		value = json_with(value, "bytes_per_second", json_real((double)bytes * 1e9 / ns));
	return value;
}

static json_t *repetition(const struct outcome *outcome, const struct outcome_function *function,
			  const char *run, size_t layout)
{
	const struct cpucycles_result *r = &function->results[layout];
	json_t *value = entry(run, run, outcome->layouts, "iteration");

	value = json_with(value, "repetition_index", json_integer((json_int_t)layout));
	return with_times(value, outcome, function, r, r->samples * r->iterations);
}

static json_t *median(const struct outcome *outcome, const struct outcome_function *function,
		      const char *run)
{
	char name[NAME + sizeof "_median"];
	json_t *value;

	snprintf(name, sizeof name, "%.*s_median", letters_within(run, 1000), run);
	value = entry(name, run, outcome->layouts, "aggregate");
	value = json_with(value, "aggregate_name", json_string("median"));
	value = json_with(value, "aggregate_unit", json_string("time"));
	value = with_times(value, outcome, function, &function->measured.result, outcome->layouts);
	/* The counts are means over all layouts. */
	for (size_t i = 0; i < outcome->events_count; i++)
		if (isfinite(function->events[i]))
			value = json_with(value, outcome->events[i].info.name,
					  json_real(function->events[i]));
	return value;
}

/* Whether there is a time. Readers want one in each entry, and take no other word for it. */
static bool is_timed(const struct outcome *outcome, const struct target *target)
{
	const struct outcome_function *function = outcome_function_of(outcome, target);

	return function && isfinite(outcome_ns(outcome, function, function->measured.result.iqm));
}

static json_t *add_target(json_t *array, const struct outcome *outcome, const struct target *target)
{
	const struct outcome_function *function = outcome_function_of(outcome, target);
	char name[NAME];
	const char *const run = run_name(outcome, target, name);

	if (!is_timed(outcome, target))
		return array;
	for (size_t layout = 0; layout < outcome->layouts; layout++)
		array = json_append(array, repetition(outcome, function, run, layout));
	return json_append(array, median(outcome, function, run));
}

/* A function that has no entry, and why. */
static json_t *add_failure(json_t *array, const struct outcome *outcome,
			   const struct target *target)
{
	const char *const why = outcome_function_of(outcome, target) ? "its time is not known" :
				target->reason.what[0]               ? target->reason.what :
				outcome->unchanged                   ? "unchanged" :
								       "not measured";
	char name[NAME];

	if (is_timed(outcome, target))
		return array;
	return json_append(array, json_pack("{s:o, s:o}", "name",
					    json_of_text(run_name(outcome, target, name)),
					    "message", json_of_text(why)));
}

/* Where and when, as google/benchmark says it. */
static json_t *context_value(const struct outcome outcomes[], size_t n)
{
	const struct outcome *const outcome = outcome_opened(outcomes, n);
	char date[40] = "", host[256] = "";
	const time_t now = time(NULL);
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S+00:00", &tm);
	gethostname(host, sizeof host - 1);
	return json_pack("{s:s, s:o, s:s, s:I, s:s, s:s, s:o, s:s, s:o}", "date", date, "host_name",
			 json_of_text(host), "executable", "cpucycles-measure", "num_cpus",
			 (json_int_t)outcome->cpus, "library_version", PACKAGE_VERSION,
			 "library_build_type", "release", "cpucycles_counter",
			 outcome->opened ? json_of_text(outcome->info.counter) : json_null(),
			 "cpucycles_unit", outcome_unit(outcome), "cpucycles_failures",
			 json_of_targets(add_failure, outcomes, n));
}

bool benchmark_print(const struct outcome outcomes[], size_t n, FILE *to)
{
	return json_put(json_pack("{s:o, s:o}", "context", context_value(outcomes, n), "benchmarks",
				  json_of_targets(add_target, outcomes, n)),
			to);
}

#endif
