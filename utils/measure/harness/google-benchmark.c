/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Programs that were linked with google/benchmark. The drivers of harnesses have one header. */

#include "config.h"

#include "driver.h"

#ifdef HAVE_JANSSON

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void list(const struct driver_run *run, struct words *command)
{
	words_add(command, run->path);
	words_add(command, "--benchmark_list_tests=true");
}

static enum driver_answer read_list(const char *text, struct words *names)
{
	for (const char *end; *text; text = *end ? end + 1 : end) {
		end = text + strcspn(text, "\r\n");
		if (end > text)
			words_take(names, strndup(text, (size_t)(end - text)));
	}
	return DRIVER_READ;
}

/* A shorter time than a benchmark's own MinTime() has no effect, nor has any on its Iterations().
 */
static void run(const struct driver_run *run, struct words *command)
{
	words_add(command, run->path);
	driver_add_exact(command, "--benchmark_filter=", run->name, "/");
	driver_add_number(command, "--benchmark_min_time=", run->seconds, "");
	words_take(command, words_join("--benchmark_out=", run->result, ""));
	words_add(command, "--benchmark_out_format=json");
}

static const char *text_of(const json_t *entry, const char *key)
{
	const char *const text = json_string_value(json_object_get(entry, key));

	return text ? text : "";
}

static double ns_per_unit(const json_t *entry)
{
	const char *const unit = text_of(entry, "time_unit");

	if (!strcmp(unit, "s"))
		return 1e9;
	if (!strcmp(unit, "ms"))
		return 1e6;
	return !strcmp(unit, "us") ? 1e3 : 1;
}

/* Whether the entry is of this benchmark. aggregate: it is the mean of its repetitions. Releases
 * before 1.5 have no "run_name". */
static bool is_of(const json_t *entry, const char *name, bool aggregate)
{
	const char *const own =
		*text_of(entry, "run_name") ? text_of(entry, "run_name") : text_of(entry, "name");

	if (strcmp(own, name) || aggregate == !*text_of(entry, "aggregate_name"))
		return false;
	return !aggregate || !strcmp(text_of(entry, "aggregate_name"), "mean");
}

/* The mean over all entries of the benchmark, which are its repetitions. Returns how many there
 * are. *failed: one that has failed; NULL: none has. */
static size_t average(const json_t *entries, const char *name, bool aggregate,
		      struct driver_time *time, const json_t **failed)
{
	size_t i, n = 0;
	json_t *entry;

	*time = (struct driver_time){ 0, 0 };
	json_array_foreach(entries, i, entry) {
		if (!is_of(entry, name, aggregate))
			continue;
		if (json_is_true(json_object_get(entry, "error_occurred")) ||
		    *text_of(entry, "error_message"))
			*failed = entry;
		time->cpu_ns +=
			json_number_value(json_object_get(entry, "cpu_time")) * ns_per_unit(entry);
		time->wall_ns +=
			json_number_value(json_object_get(entry, "real_time")) * ns_per_unit(entry);
		n++;
	}
	time->cpu_ns /= (double)n;
	time->wall_ns /= (double)n;
	return n;
}

static enum driver_answer read_entries(const json_t *entries, const char *name,
				       struct driver_time *time, struct reason_text *reason)
{
	const json_t *failed = NULL;

	if (!json_is_array(entries))
		return DRIVER_FOREIGN;
	if (!average(entries, name, false, time, &failed) &&
	    !average(entries, name, true, time, &failed))
		return DRIVER_ABSENT;
	if (failed) {
		reason_say(reason, 0, "%s", text_of(failed, "error_message"));
		return DRIVER_FAILED;
	}
	/* UseRealTime() and UseManualTime() say that another time than the CPU's is meant. */
	if (strstr(name, "/real_time") || strstr(name, "/manual_time"))
		time->cpu_ns = NAN;
	return DRIVER_READ;
}

static enum driver_answer read(const char *text, const char *name, struct driver_time *time,
			       struct reason_text *reason)
{
	json_t *root;
	enum driver_answer answer;

	/* It writes nothing if no benchmark has this name: a main() of the user's may print lines
	 * in the list that are no names. */
	if (!*text)
		return DRIVER_ABSENT;
	root = json_loads(text, 0, NULL);
	answer = read_entries(json_object_get(root, "benchmarks"), name, time, reason);
	json_decref(root);
	return answer;
}

const struct driver driver_google_benchmark = {
	.name = "google-benchmark",
	.runs_in_file = true,
	.list = list,
	.run = run,
	.read_list = read_list,
	.read = read,
};

#endif
