/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Tests that use pytest-benchmark. The drivers of harnesses have one header. */

#include "config.h"

#include "driver.h"

#ifdef HAVE_JANSSON

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* pytest, without the two parts of a run that take a second each and tell nothing of a benchmark:
 * the harness describes the processor for its JSON, and looks how fine its clock is. A clock of
 * 1 us is finer than the least time of a round needs. */
static const char program[] =
	"import pytest, sys, time\n"
	"class Brief:\n"
	"    @pytest.hookimpl(optionalhook=True, tryfirst=True)\n"
	"    def pytest_benchmark_generate_machine_info(self, config):\n"
	"        return {}\n"
	"    def pytest_sessionstart(self, session):\n"
	"        fixture = sys.modules.get('pytest_benchmark.fixture')\n"
	"        known = getattr(getattr(fixture, 'BenchmarkFixture', None), '_precisions', None)\n"
	"        if isinstance(known, dict):\n"
	"            known.update({time.process_time: 1e-6, time.perf_counter: 1e-6})\n"
	"sys.exit(pytest.main(plugins=[Brief()]))\n";

/* To read the CPU time is a system call, so it is read less often than the harness's own timer
 * would be. Names of tests are relative to the root, so the root is the run's folder. Nothing is
 * left there: without its own storage and cache, the harness would make folders. */
static void begin(const struct driver_run *run, struct words *command)
{
	words_split(command, "python3 -c");
	words_add(command, program);
	words_split(command, "-q --rootdir=. -p no:cacheprovider"
			     " --benchmark-only --benchmark-warmup=off"
			     " --benchmark-min-rounds=1 --benchmark-min-time=0.001");
	words_take(command, words_join("--benchmark-json=", run->result, ""));
	words_take(command, words_join("--benchmark-storage=file://", run->result, ".d"));
}

/* Which tests have benchmarks is known when they have run. */
static void list(const struct driver_run *run, struct words *command)
{
	begin(run, command);
	words_add(command, "--benchmark-max-time=0.000001");
	words_add(command, run->path);
}

static enum driver_answer read_list(const char *text, struct words *names)
{
	json_t *const root = json_loads(text, 0, NULL), *entry;
	const json_t *const entries = json_object_get(root, "benchmarks");
	const bool known = json_is_array(entries);
	size_t i;

	json_array_foreach(entries, i, entry) {
		const char *const name = json_string_value(json_object_get(entry, "fullname"));

		if (name)
			words_add(names, name);
	}
	json_decref(root);
	return known ? DRIVER_READ : DRIVER_FOREIGN;
}

static void run(const struct driver_run *run, struct words *command)
{
	begin(run, command);
	driver_add_number(command, "--benchmark-max-time=", run->seconds, "");
	if (!run->wall)
		words_add(command, "--benchmark-timer=time.process_time");
	words_add(command, run->name);
}

static void take_entry(const json_t *entry, struct driver_time *time)
{
	const json_t *const mean = json_object_get(json_object_get(entry, "stats"), "mean");
	const char *const timer =
		json_string_value(json_object_get(json_object_get(entry, "options"), "timer"));
	const double ns = json_is_number(mean) ? json_number_value(mean) * 1e9 : NAN;
	const bool cpu = timer && !strcmp(timer, "process_time");

	*time = (struct driver_time){ cpu ? ns : NAN, cpu ? NAN : ns };
}

static enum driver_answer read(const char *text, const char *name, struct driver_time *time,
			       struct reason_text *reason)
{
	json_t *const root = json_loads(text, 0, NULL), *entry;
	const json_t *const entries = json_object_get(root, "benchmarks");
	enum driver_answer answer = json_is_array(entries) ? DRIVER_ABSENT : DRIVER_FOREIGN;
	size_t i;

	(void)reason;
	json_array_foreach(entries, i, entry) {
		const char *const own = json_string_value(json_object_get(entry, "fullname"));

		if (!own || strcmp(own, name))
			continue;
		take_entry(entry, time);
		answer = DRIVER_READ;
	}
	json_decref(root);
	return answer;
}

const struct driver driver_pytest = {
	.name = "pytest",
	.in_folder = true,
	.lists_in_file = true,
	.runs_in_file = true,
	.complaints = { "E  " },
	.list = list,
	.run = run,
	.read_list = read_list,
	.read = read,
};

#endif
