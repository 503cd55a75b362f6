/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How cpucycles-measure runs functions: processes, the machine, progress, samples. */

#include "config.h"

#include "measure/run/child.h"
#include "measure/run/machine.h"
#include "measure/run/progress.h"
#include "measure/run/raw.h"
#include "made-outcome.h"

#include <signal.h>

TEST_WITH(test_mask, begin, end)
{
	sigset_t none, one, all;

	sigemptyset(&none);
	sigemptyset(&one);
	sigaddset(&one, SIGALRM);
	sigfillset(&all);
	assert_int_equal(child_mask_difference(&none, &none), 0);
	assert_int_equal(child_mask_difference(&none, &one), SIGALRM);
	assert_int_equal(child_mask_difference(&one, &none), -SIGALRM);
	assert_int_equal(child_mask_difference(&none, &all), 1);
	assert_int_equal(child_mask_difference(&all, &one), -1);
	child_mask_see();
	sigprocmask(SIG_BLOCK, &one, NULL);
	assert_int_equal(child_mask_see(), SIGALRM);
	assert_int_equal(child_mask_see(), 0);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	assert_int_equal(child_mask_see(), -SIGALRM);
}

static void expect_samples(size_t rounds, size_t places, const char *expected)
{
	static const double a[] = { 10, 10.5, 11.5, 12 }, b[] = { 20, 20.5, 21, 22 };
	const double *const samples[] = { a, b };
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	raw_put_samples(&(struct raw_samples){ &outcome, samples, rounds, places }, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
}

/* The first process has the names, too. */
TEST_WITH(test_samples, begin, end)
{
	outcome.processes = 0;
	expect_samples(2, 2,
		       "process\tround\tfunction\tticks_per_call\n"
		       "0\t0\t./f.so:a\t10\n0\t0\t./f.so:a\t10.5\n"
		       "0\t0\t./f.so:b\t20\n0\t0\t./f.so:b\t20.5\n"
		       "0\t1\t./f.so:a\t11.5\n0\t1\t./f.so:a\t12\n"
		       "0\t1\t./f.so:b\t21\n0\t1\t./f.so:b\t22\n");
	targets[0].label[1] = '\t';
	outcome.count = 1;
	outcome.info.unit = CPUCYCLES_UNIT_CYCLES;
	expect_samples(1, 1,
		       "process\tround\tfunction\tcycles_per_call\n"
		       "0\t0\t.\\x09f.so:a\t10\n");
	outcome.processes = 3;
	expect_samples(2, 1, "3\t0\t.\\x09f.so:a\t10\n3\t1\t.\\x09f.so:a\t10.5\n");
}

/* What --check says of a machine: the names, with a ! behind a warning. */
static void expect_said(const struct machine *machine, const char *expected)
{
	struct judge_warnings warnings = { 0 };
	struct judge_warnings notes = { 0 };
	char names[128] = "";
	size_t n = 0;

	machine_judge(machine, &warnings, &notes);
	for (size_t i = 0; i < warnings.n; i++)
		n += (size_t)snprintf(names + n, sizeof names - n, "%s! ", warnings.list[i].name);
	for (size_t i = 0; i < notes.n; i++) {
		n += (size_t)snprintf(names + n, sizeof names - n, "%s ", notes.list[i].name);
		assert_true(notes.list[i].reason.what[0] && notes.list[i].reason.remedy[0]);
	}
	assert_string_equal(names, expected);
}

TEST(test_machine)
{
	struct machine machine = { .load = 1, .cpus = 2 };

	expect_said(&machine, "");
	machine.load = 1.1;
	expect_said(&machine, "load! ");
	machine.cpus = 0;
	expect_said(&machine, "");
	machine = (struct machine){ .load = -1, .cpus = 4, .governor = "performance" };
	expect_said(&machine, "");
	strcpy(machine.governor, "powersave");
	machine.boosts = machine.smt = true;
	expect_said(&machine, "governor boost smt ");
}

#define CPUS "sys/devices/system/cpu/"

static void put_file(const char *path, const char *text)
{
	unit_write(path, text, strlen(text));
}

TEST_WITH(test_made_machine, unit_folder_make, unit_folder_remove)
{
	struct machine machine;
	char governor[128];

	machine_look(unit_folder, &machine);
	assert_string_equal(machine.governor, "");
	assert_true(!machine.boosts && !machine.intel && !machine.smt);
	put_file(CPUS "cpufreq/boost", "1\n");
	put_file(CPUS "smt/active", "0\n");
	for (int cpu = 0; cpu <= machine.cpu + 64; cpu++) {
		snprintf(governor, sizeof governor, CPUS "cpu%d/cpufreq/scaling_governor", cpu);
		put_file(governor, "schedutil\n");
	}
	machine_look(unit_folder, &machine);
	assert_true(machine.boosts && !machine.intel && !machine.smt);
	assert_string_equal(machine.governor, machine.cpu < 0 ? "" : "schedutil");
	put_file(CPUS "cpufreq/boost", "0\n");
	put_file(CPUS "smt/active", "1\n");
	put_file(CPUS "intel_pstate/no_turbo", "0\n");
	machine_look(unit_folder, &machine);
	assert_true(machine.boosts && machine.intel && machine.smt);
	put_file(CPUS "intel_pstate/no_turbo", "1\n");
	machine_look(unit_folder, &machine);
	assert_true(!machine.boosts && !machine.intel);
}

/* Also a long name fits into the line of a terminal. */
TEST_WITH(test_progress, begin, end)
{
	static struct cpucycles_meter meter;
	static struct child_shared shared;
	const struct child_memory memory = { .shared = &shared, .meter = &meter };
	struct target *two[] = { &targets[0], &targets[1] };
	struct child_job job = { .targets = two, .n = 2, .budget_ns = 2500000000 };
	char text[PROGRESS_COLUMNS + 1], *label = targets[1].label;
	char name[200];

	shared.phase = CHILD_SETS_UP;
	shared.which = 1;
	progress_text(text, &job, &memory, 1500000000);
	assert_string_equal(text, "cpucycles-measure: 1.5 s: setting up ./f.so:b");
	shared.phase = CHILD_MEASURES;
	meter.run.at = 0;
	progress_text(text, &job, &memory, 1500000000);
	assert_string_equal(text, "cpucycles-measure: 1.5 s: first calls of ./f.so:a");
	meter.run.rounds = 17;
	progress_text(text, &job, &memory, 2000000000);
	assert_string_equal(text, "cpucycles-measure: 2.0 s: process 1, in at most 2.5 s");
	job.process = 41;
	shared.phase = CHILD_LOADS;
	progress_text(text, &job, &memory, 2000000000);
	assert_string_equal(text, "cpucycles-measure: 2.0 s: process 42, in at most 2.5 s");
	job.so_far = 1.00974;
	progress_text(text, &job, &memory, 99000000000);
	assert_string_equal(text, "cpucycles-measure: 99.0 s: process 42, in at most 2.5 s: "
				  "0.97 % longer");
	job.so_far = 0.4;
	job.pair = "crc";
	job.number = 3;
	job.all = 14;
	progress_text(text, &job, &memory, 2000000000);
	assert_string_equal(text, "cpucycles-measure: 2.0 s: 3 of 14, crc: process 42: "
				  "0.4 times as long");
	job.so_far = 0.9;
	progress_text(text, &job, &memory, 2000000000);
	assert_string_equal(text, "cpucycles-measure: 2.0 s: 3 of 14, crc: process 42: "
				  "10.00 % less time");
	job.so_far = NAN;
	job.pair = NULL;
	targets[0].sized = true;
	targets[0].size = 4096;
	progress_text(text, &job, &memory, 2000000000);
	targets[0].sized = false;
	assert_string_equal(text,
			    "cpucycles-measure: 2.0 s: size 4096: process 42, in at most 2.5 s");
	job.process = 0;
	memset(name, 'x', sizeof name - 1);
	name[sizeof name - 1] = 0;
	targets[1].label = name;
	shared.phase = CHILD_LOADS;
	progress_text(text, &job, &memory, 0);
	targets[1].label = label;
	assert_int_equal(strlen(text), PROGRESS_COLUMNS);
}

UNIT_MAIN("run", NULL, NULL)
