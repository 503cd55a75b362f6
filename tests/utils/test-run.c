/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How cpucycles-measure runs functions: processes and what they leave, the machine, progress,
 * samples. */

#include "config.h"

#include "measure/result/settle.h"
#include "measure/run/answer.h"
#include "measure/run/machine.h"
#include "measure/run/memory.h"
#include "measure/run/plan.h"
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

/* Records */

#define FEW_SAMPLES 40
#define GARBLED 3000

static struct child_memory made;
static struct target *pair[] = { &targets[0], &targets[1] };
static struct child_job made_job = {
	.targets = pair,
	.n = 2,
	.layouts = 3,
	.reversed = true,
	.options = { .size = sizeof made_job.options, .works_max = 2, .samples_max = FEW_SAMPLES },
};

static void work(void *calls)
{
	for (volatile int i = 0; i < 300 * (int)(intptr_t)calls; i++)
		;
}

static void test_input(const unsigned char *input, void *calls)
{
	(void)input;
	work(calls);
}

static struct record *take(void)
{
	struct record *record;
	const int error = answer_take(&made_job, &made, 0, &record);

	assert_int_equal(error, record ? 0 : -EBADMSG);
	return record;
}

/* A record as a process leaves it: of two functions, or of a test for leaks. */
static int begin_record(bool leak_test)
{
	const struct cpucycles_plan plan = { .size = sizeof plan,
					     .budget_ns = 50000000,
					     .flags = CPUCYCLES_PLAN_WHOLE };
	const struct cpucycles_work works[] = {
		{ .size = sizeof(struct cpucycles_work),
		  .name = "b",
		  .call = work,
		  .context = (void *)10,
		  .bytes = 22 },
		{ .size = sizeof(struct cpucycles_work),
		  .name = "a",
		  .call = work,
		  .context = (void *)1,
		  .bytes = 11 },
	};
	const struct cpucycles_leak leak = {
		.size = sizeof leak, .call = test_input, .context = (void *)1, .bytes = 1
	};
	struct reason_text reason;
	struct record *record;

	begin(NULL);
	targets[0].leak = leak_test;
	assert_int_equal(memory_map(&made_job, &made, &reason), 0);
	assert_int_equal(answer_take(&made_job, &made, 0, &record), -ENODATA);
	assert_null(record);
	assert_int_equal(meter_open_in(made.meter, made.meter_bytes, &made_job.options, NULL,
				       &reason),
			 0);
	assert_int_equal(record_counter(made.record, made.meter, &reason), 0);
	record = take();
	assert_true(record && record->opened && !record->measured);
	free(record);
	if (child_tests_leak(&made_job))
		assert_int_equal(cpucycles_leak_run(made.meter, &leak, &plan, NULL), 0);
	else
		assert_int_equal(cpucycles_meter_run(made.meter, works, 2, &plan, NULL), 0);
	record_run(&made_job, &made);
	return 0;
}

static int begin_works(UNIT_UNUSED void **state)
{
	return begin_record(false);
}

static int begin_leak(UNIT_UNUSED void **state)
{
	return begin_record(true);
}

static int end_record(void **state)
{
	memory_unmap(&made);
	return end(state);
}

/* Add a record to an outcome, and ask for all that is made of it. */
static void add_record(const struct record *record, struct outcome *to)
{
	double sum = 0;
	size_t widest;

	assert_int_equal(outcome_begin(to, pair, 2), 0);
	answer_counter(record, to);
	assert_int_equal(answer_add(record, &made_job, &made, to), 0);
	for (size_t i = 0; i < 2 && !child_tests_leak(&made_job); i++)
		for (size_t k = 0; k < record->samples; k++)
			sum += answer_samples(record, &made, i)[k];
	for (size_t group = 0; group < 2; group++)
		for (size_t k = 0; k < to->leak.kept[group]; k++)
			sum += to->leak_times[group][k];
	outcome_settle(to);
	outcome_precision(to, &widest);
	/* A sum of random bytes may be anything. */
	assert_true(isnan(sum) || sum >= 0 || sum < 0);
	assert_non_null(outcome_unit(to));
}

/* Each layout has a record. A later one begins with what is known of the meter. */
TEST_WITH(test_layouts, begin_works, end_record)
{
	struct record *first = take(), *record;

	assert_true(first && first->measured);
	assert_int_equal(answer_take(&made_job, &made, 1, &record), -ENODATA);
	record = record_begin(&made_job, &made, 1);
	assert_ptr_equal(record, record_of(&made_job, &made, 1));
	assert_true((char *)record >= (char *)made.record + record_bytes(&made_job));
	assert_int_equal(answer_take(&made_job, &made, 1, &record), 0);
	assert_true(record->opened && !record->measured);
	assert_string_equal(record->counter, first->counter);
	free(record);
	assert_int_equal(answer_take(&made_job, &made, 2, &record), -ENODATA);
	/* What one layout leaves does not change another one's. */
	memset(record_of(&made_job, &made, 1), 0xff, record_bytes(&made_job));
	assert_int_equal(answer_take(&made_job, &made, 1, &record), -EBADMSG);
	record = take();
	assert_memory_equal(record, first, sizeof *first);
	free(record);
	free(first);
}

TEST_WITH(test_record, begin_works, end_record)
{
	struct outcome to = { 0 };
	struct record *const record = take();

	assert_non_null(record);
	assert_true(record->measured && record->places == 2 && !record->leak.known);
	add_record(record, &to);
	assert_string_equal(to.counter, made.meter->source.name);
	/* The last function was named first. */
	assert_int_equal(record->pieces[0].numbers.bytes, 11);
	assert_ptr_equal(answer_samples(record, &made, 0), made.meter->run.tracks[1].samples);
	assert_true(to.functions[0].measured.result.median * 1.2 <
		    to.functions[1].measured.result.median);
	assert_true(to.functions[1].log_ratios[0] > 0);
	assert_int_equal(to.layouts, 1);
	free(record);
	outcome_free(&to);
}

/* One member of a record that makes no sense, or has no end. False: there are no more. */
static bool spoil(struct record *r, int fault)
{
	static const unsigned char no_bool = 2;
	struct record_piece *const piece = &r->pieces[1];

	switch (fault) {
	case 0:
		memcpy(&r->opened, &no_bool, 1);
		break;
	case 1:
		memcpy(&r->measured, &no_bool, 1);
		break;
	case 2:
		r->info.unit = CPUCYCLES_UNIT_NS + 1;
		break;
	case 3:
		r->info.resolution = NAN;
		break;
	case 4:
		r->known.instrument.resolution += 1;
		break;
	case 5:
		memset(r->counter, 'x', sizeof r->counter);
		break;
	case 6:
		strcpy(r->counter, "a\n");
		break;
	case 7:
		r->events_count = EVENTS_MAX + 1;
		break;
	case 8:
		memcpy(&r->known.finest, &no_bool, 1);
		break;
	case 9:
		r->part.time.ns = INFINITY;
		break;
	case 10:
		r->part.warnings.n = JUDGE_WARNINGS + 1;
		break;
	case 11:
		r->samples = 0;
		break;
	case 12:
		r->samples = SIZE_MAX / 4;
		piece->numbers.result.samples = r->pieces[0].numbers.result.samples = r->samples;
		break;
	case 13:
		r->places = 0;
		break;
	case 14:
		memcpy(&piece->numbers.renewed, &no_bool, 1);
		break;
	case 15:
		piece->numbers.result.samples++;
		break;
	case 16:
		piece->numbers.result.iterations = 0;
		break;
	case 17:
		piece->numbers.result.iqm = NAN;
		break;
	case 18:
		piece->numbers.warnings.n = 1;
		piece->numbers.warnings.list[0].bit = 3;
		break;
	case 19:
		piece->samples = made.bytes - 8;
		break;
	case 20:
		piece->samples = SIZE_MAX - 7;
		break;
	case 21:
		piece->samples++;
		break;
	case 22:
		r->part.slow_units_per_cycle = INFINITY;
		break;
	default:
		return false;
	}
	return true;
}

static struct record *save_record(void)
{
	struct record *const saved = malloc(record_bytes(&made_job));

	assert_non_null(saved);
	memcpy(saved, made.record, record_bytes(&made_job));
	return saved;
}

TEST_WITH(test_spoilt_record, begin_works, end_record)
{
	struct record *const saved = save_record();

	for (int fault = 0; spoil(made.record, fault); fault++) {
		struct record *const record = take();

		if (record)
			print_message("# fault %d\n", fault);
		assert_null(record);
		memcpy(made.record, saved, record_bytes(&made_job));
	}
	/* Texts get an end, and names are those of this program. */
	memset(&made.record->next_best.what, 'x', sizeof made.record->next_best.what);
	made.record->pieces[0].numbers.warnings.n = 1;
	made.record->pieces[0].numbers.warnings.list[0].bit = CPUCYCLES_WARNING_DRIFT;
	made.record->pieces[0].numbers.warnings.list[0].name = (const char *)saved;
	{
		struct record *const record = take();

		assert_non_null(record);
		assert_int_equal(strlen(record->next_best.what), sizeof record->next_best.what - 1);
		assert_string_equal(record->pieces[0].numbers.warnings.list[0].name, "drift");
		free(record);
	}
	free(saved);
}

/* Nothing crashes on a record with random bytes. */
static void expect_garbled(void)
{
	unsigned char *const bytes = (unsigned char *)made.record;
	struct record *const saved = save_record();
	size_t refused = 0;

	for (size_t i = 0; i < GARBLED; i++) {
		struct outcome to = { 0 };
		struct record *record;

		for (size_t b = 0; b < i % 10; b++)
			bytes[unit_random() % record_bytes(&made_job)] =
				(unsigned char)unit_random();
		answer_take(&made_job, &made, 0, &record);
		refused += !record;
		if (record)
			add_record(record, &to);
		free(record);
		outcome_free(&to);
		memcpy(made.record, saved, record_bytes(&made_job));
	}
	print_message("# %zu of %d records refused\n", refused, GARBLED);
	assert_true(refused > 0 && refused < GARBLED);
	free(saved);
}

TEST_WITH(test_garbled_record, begin_works, end_record)
{
	expect_garbled();
}

TEST_WITH(test_garbled_leak, begin_leak, end_record)
{
	expect_garbled();
}

TEST_WITH(test_spoilt_leak, begin_leak, end_record)
{
	struct record *const saved = save_record();
	struct outcome_leak *const leak = &made.record->leak;
	struct outcome to = { 0 };
	struct record *record = take();

	assert_non_null(record);
	assert_true(record->leak.known);
	add_record(record, &to);
	assert_memory_equal(&to.leak.result, &made.meter->leak.result, sizeof to.leak.result);
	assert_int_equal(to.leak.kept[1], made.meter->leak.kept[1]);
	assert_memory_equal(to.leak_times[1], made.meter->run.tracks[1].samples,
			    to.leak.kept[1] * sizeof(double));
	free(record);
	outcome_free(&to);
	for (int fault = 0; fault < 12; fault++) {
		switch (fault) {
		case 0:
			leak->result.verdict = 7;
			break;
		case 1:
			leak->kept[1] = made.bytes / sizeof(double);
			break;
		case 2:
			leak->quantiles.deciles[8].difference = NAN;
			break;
		case 3:
			leak->quantiles.tail.low = NAN;
			break;
		case 4:
			leak->result.surest = 55;
			break;
		case 5:
			leak->result.threshold = 0;
			break;
		case 6:
			leak->result.p_value = 2;
			break;
		case 7:
			leak->result.control_p_value = NAN;
			break;
		case 8:
			leak->quantiles.head.high = NAN;
			break;
		case 9:
			leak->result.beyond_quantile = 0;
			break;
		case 10:
			leak->result.beyond_most = NAN;
			break;
		default:
			made.record->leak_samples[0] = made.bytes;
		}
		record = take();
		assert_null(record);
		memcpy(made.record, saved, record_bytes(&made_job));
	}
	free(saved);
}

/* Samples */

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
	outcome.layouts = 0;
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
	outcome.layouts = 3;
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
	machine.lost = 0.009;
	expect_said(&machine, "governor boost smt ");
	machine.lost = 0.011;
	expect_said(&machine, "time governor boost smt ");
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
				  "0.97 % slower");
	job.so_far = 0.4;
	job.pair = "crc";
	job.number = 3;
	job.all = 14;
	progress_text(text, &job, &memory, 2000000000);
	assert_string_equal(text, "cpucycles-measure: 2.0 s: 3 of 14, crc: process 42: "
				  "2.5 times as fast");
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

/* How long process number `process` measures in each of so many layouts, in us; 0: it does not. */
static unsigned slice_us(bool linked, bool copies, size_t layouts, size_t process)
{
	struct target target = { 0 }, *all[] = { &target };
	struct child_job job = {
		.targets = all, .n = 1, .process = process, .copies = copies, .layouts = layouts
	};
	struct outcome planned = { .linked = linked,
				   .per_process = layouts,
				   .plan = { .budget_ns = 44000000000 } };

	return plan_process(&job, &planned) ? (unsigned)(job.plan.budget_ns / 1000) : 0;
}

TEST(slices)
{
	assert_int_equal(slice_us(false, false, 1, 0), 120218);
	assert_int_equal(slice_us(false, false, 1, 365), 120218);
	assert_int_equal(slice_us(false, false, 1, 366), 0);
	assert_int_equal(slice_us(true, false, 1, 487), 20000);
	assert_int_equal(slice_us(true, true, 1, 487), 10000);
	assert_int_equal(slice_us(true, true, 4, 487), 2500);
	/* The others share the time: of 976 here, and of one. */
	assert_int_equal(slice_us(true, true, 1, 488), 45081);
	assert_int_equal(slice_us(true, true, 4, 488), 11270);
	assert_int_equal(slice_us(true, true, 1, 1463), 44000000);
	assert_int_equal(slice_us(true, true, 1, 1464), 0);
	assert_int_equal(slice_us(true, true, 4, 1464), 0);
}

/* Each of 8 layouts is to measure for 1.25 ms. */
TEST(layouts_that_fit)
{
	const struct child_job job = { .layouts = 8, .plan = { .budget_ns = 1250000 } };

	assert_int_equal(child_layouts(&job, 300, 53, 3e6), 8);
	assert_int_equal(child_layouts(&job, 300, 54, 3e6), 1);
	assert_int_equal(child_layouts(&job, 10, 0, 3e6), 8);
	assert_int_equal(child_layouts(&job, 9, 0, 3e6), 7);
	assert_int_equal(child_layouts(&job, 3, 0, 3e6), 2);
	assert_int_equal(child_layouts(&job, 1, 0, 3e6), 1);
	assert_int_equal(child_layouts(&job, 0, 0, 3e6), 1);
	/* A setup takes long. */
	assert_int_equal(child_layouts(&job, 300, 0, 20e6), 8);
	assert_int_equal(child_layouts(&job, 300, 0, 20.1e6), 1);
}

UNIT_MAIN("run", NULL, NULL)
