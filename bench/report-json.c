/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "goals.h"
#include "report.h"

#include <stdio.h>

#ifdef HAVE_JANSSON

#include <errno.h>
#include <jansson.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* json_pack() fails if one of its values is NULL, so only the outermost result is checked. */

static json_t *series_value(const struct series *s)
{
	struct spread spread;
	json_t *samples;

	if (s->n == 0)
		return json_pack("{s:s, s:s, s:i, s:s}", "name", s->name, "unit", s->unit, "n", 0,
				 "why", s->why);
	spread = spread_of(s->samples, s->n);
	samples = json_array();
	for (size_t i = 0; i < s->n; i++)
		json_array_append_new(samples, json_real(s->samples[i]));
	return json_pack("{s:s, s:s, s:I, s:f, s:f, s:f, s:f, s:f, s:s, s:o}", "name", s->name,
			 "unit", s->unit, "n", (json_int_t)s->n, "least", spread.min, "low",
			 spread.low, "median", spread.median, "high", spread.high, "most",
			 spread.max, "why", s->why, "samples", samples);
}

static json_t *all_series(const struct bench *bench)
{
	json_t *array = json_array();

	for (size_t i = 0; i < bench->n; i++)
		if (json_array_append_new(array, series_value(&bench->series[i])))
			return json_decref(array), NULL;
	return array;
}

static json_t *goal_value(const struct bench *bench, const struct goal *goal)
{
	struct goal_state state = goal_look(bench, goal);

	return json_pack("{s:s, s:s, s:f, s:f, s:f, s:f, s:s}", "goal", goal->what, "verdict",
			 state.verdict, "limit", state.limit, "figure", state.figure.middle, "low",
			 state.figure.low, "high", state.figure.high, "note", state.note);
}

static json_t *all_goals(const struct bench *bench)
{
	json_t *array = json_array();

	for (size_t i = 0; i < goals_count; i++)
		if (json_array_append_new(array, goal_value(bench, &goals[i])))
			return json_decref(array), NULL;
	return array;
}

static json_t *calls_value(const struct trace *trace)
{
	json_t *array = json_array();

	for (size_t i = 0; i < trace->n; i++)
		if (json_array_append_new(array, json_string(trace->names[i])))
			return json_decref(array), NULL;
	return array;
}

static json_t *all_calls(const struct bench *bench)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "cached", calls_value(&bench->cached_trace),
			 "bare", calls_value(&bench->bare_trace), "none",
			 calls_value(&bench->none_trace), "against",
			 calls_value(&bench->against_trace));
}

static json_t *machine_value(const struct bench *bench)
{
	struct utsname name;

	if (uname(&name))
		memset(&name, 0, sizeof name);
	return json_pack("{s:s, s:s, s:s, s:I, s:f}", "system", name.sysname, "release",
			 name.release, "machine", name.machine, "cpus",
			 (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "load", bench->load);
}

bool report_json(const struct bench *bench, const char *path)
{
	json_t *root =
		json_pack("{s:i, s:s, s:s, s:s?, s:s, s:s, s:I, s:o, s:o, s:o, s:o}", "format", 1,
			  "version", PACKAGE_VERSION, "library", bench->library, "against",
			  bench->against, "cache", bench->cache_from, "page", bench->page_kind,
			  "seed", (json_int_t)bench->seed, "machine", machine_value(bench), "calls",
			  all_calls(bench), "series", all_series(bench), "goals", all_goals(bench));
	bool written = root && !json_dump_file(root, path, JSON_INDENT(1));

	json_decref(root);
	if (!written)
		fprintf(stderr, "bench: %s: not written: %s\n", path, strerror(errno));
	return written;
}

#else

bool report_json(const struct bench *bench, const char *path)
{
	(void)bench;
	fprintf(stderr, "bench: %s: not written: built without jansson, which JSON needs\n", path);
	return false;
}

#endif
