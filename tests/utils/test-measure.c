/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-measure prints, from made outcomes. */

#include "config.h"

#include "measure/run/machine.h"
#include "measure/run/progress.h"
#include "measure/run/raw.h"
#include "measure/report/benchmark.h"
#include "measure/report/json.h"
#include "measure/report/layouts.h"
#include "measure/report/row.h"
#include "measure/report/sentences.h"
#include "measure/report/tabular.h"
#include "measure/report/verbose.h"
#include "measure/result/gate.h"
#include "measure/result/settle.h"
#include "measure/run/answer.h"
#include "unit.h"

#include <errno.h>
#include <math.h>
#include <signal.h>

static struct target targets[3];
static struct outcome_function functions[2];
static struct outcome outcome;

/* Two functions, the second of which is slower. */
static int begin(UNIT_UNUSED void **state)
{
	assert_int_equal(target_parse("./f.so:a", targets, 0), 0);
	assert_int_equal(target_parse("./f.so:b", targets, 1), 0);
	assert_int_equal(target_parse("./f.so:a", targets, 2), 0);
	memset(functions, 0, sizeof functions);
	functions[0].target = &targets[0];
	functions[0].measured.result = (struct cpucycles_result){
		.min = 9,
		.q1 = 9.5,
		.median = 10.25,
		.q3 = 100.04,
		.low = -INFINITY,
		.high = INFINITY,
		.iqm = 123456.4,
		.samples = 4,
		.batch = 1,
	};
	functions[0].measured.mean_low = -INFINITY;
	functions[0].measured.mean_high = INFINITY;
	functions[1] = functions[0];
	functions[1].target = &targets[1];
	functions[1].measured.compared = true;
	functions[1].measured.verdict = (struct verdict){
		.kind = VERDICT_SLOWER,
		.ratio = 2,
		.low = 1.75,
		.high = 2.25,
	};
	outcome = (struct outcome){
		.targets = targets,
		.targets_count = 3,
		.plan = { .seed = 7 },
		.opened = true,
		.info = { .counter = "made", .unit = CPUCYCLES_UNIT_TICKS, .step = 2, .hz = 1000 },
		.functions = functions,
		.count = 2,
		.error = 0.005,
		.processes = 1,
		.elapsed_ns = 100000000,
	};
	return 0;
}

static int end(UNIT_UNUSED void **state)
{
	target_free(targets, 3);
	return 0;
}

TEST_WITH(test_target, begin, end)
{
	struct target target[1];

	assert_string_equal(targets[1].library, "./f.so");
	assert_string_equal(targets[1].function, "b");
	assert_string_equal(targets[1].setup, "b_setup");
	assert_string_equal(targets[1].before, "b_before");
	assert_string_equal(targets[1].label, "./f.so:b");
	assert_string_equal(targets[2].label, "./f.so:a (2)");
	assert_int_equal(target_parse("a:b:c", target, 0), 0);
	assert_string_equal(target[0].library, "a:b");
	assert_string_equal(target[0].function, "c");
	target_free(target, 1);
	for (const char *const *bad = (const char *const[]){ "", ":", "a", "a:", ":a", NULL }; *bad;
	     bad++)
		assert_int_equal(target_parse(*bad, target, 0), -EINVAL);
}

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

/* The sentence on the second function. */
static void say(char text[OUTCOME_TEXT])
{
	struct figures_function row;

	row_fill(&row, &outcome, functions[1].target);
	strcpy(text, row.sentence);
}

static void expect_sentence(const char *expected)
{
	char text[OUTCOME_TEXT];

	say(text);
	assert_string_equal(text, expected);
}

#define FIGURES ": it takes 2.00 times as long, between 1.75 and 2.25, in 1 process"

TEST_WITH(test_sentence, begin, end)
{
	struct verdict *verdict = &functions[1].measured.verdict;

	expect_sentence("./f.so:b is slower than ./f.so:a, as they are linked" FIGURES ".");
	verdict->kind = VERDICT_FASTER;
	expect_sentence("./f.so:b is faster than ./f.so:a, as they are linked" FIGURES ".");
	verdict->kind = VERDICT_CANNOT_TELL;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". No difference was seen.");
	verdict->needed = 184;
	verdict->difference = 0.005;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". A difference of 0.5 % would take about 184 processes, about 21 s"
			" (-t, -n).");
	verdict->needed = 367;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". A difference of 0.5 % would take more than 366 processes, which is the"
			" most.");
	verdict->within = 0.005;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". If they are equal, it would take more than 366 processes, which is the"
			" most.");
	verdict->needed = 184;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell" FIGURES
			". If they are equal, about 184 processes would tell, in about 21 s"
			" (-t, -n).");
	verdict->within = 0;
}

/* The mean of nearly all calls has a sentence where it says something else. */
TEST_WITH(test_sentence_of_mean, begin, end)
{
	struct verdict *const verdict = &functions[1].measured.verdict;
	struct verdict *const mean = &functions[1].measured.mean_verdict;
	const struct verdict before = *verdict;
	char text[OUTCOME_TEXT];
	const char *const said = " The mean of all samples but the longest 5 % is 2.45 times as"
				 " long.";

	*verdict = (struct verdict){
		.kind = VERDICT_FASTER, .ratio = 0.98, .low = 0.97, .high = 0.99
	};
	*mean = (struct verdict){ .kind = VERDICT_SLOWER, .ratio = 2.45, .low = 2.4, .high = 2.5 };
	say(text);
	assert_non_null(strstr(text, said));
	verdict->kind = VERDICT_CANNOT_TELL;
	say(text);
	assert_non_null(strstr(text, said));
	/* Not if the intervals are near one another, unless a gate does not pass for it. */
	mean->low = 1.03;
	say(text);
	assert_null(strstr(text, "The mean"));
	mean->low = 1.05;
	say(text);
	assert_non_null(strstr(text, said));
	mean->low = 1.03;
	outcome.gate = 0.01;
	say(text);
	assert_non_null(strstr(text, said));
	outcome.gate = 0;
	mean->ratio = mean->low = 0.5;
	mean->high = 0.93;
	say(text);
	assert_null(strstr(text, "The mean"));
	mean->high = 0.92;
	say(text);
	assert_non_null(strstr(text, " is 0.5 times as long."));
	*verdict = before;
	memset(mean, 0, sizeof *mean);
}

TEST_WITH(test_sentence_of_layouts, begin, end)
{
	struct verdict *verdict = &functions[1].measured.verdict;

	outcome.linked = true;
	outcome.processes = 42;
	outcome.elapsed_ns = 3100000000;
	functions[1].measured.units = 10;
	functions[1].measured.placement = 0.0014;
	verdict->ratio = 1.0097;
	verdict->low = 1.0077;
	verdict->high = 1.0113;
	expect_sentence("./f.so:b is slower than ./f.so:a: its code takes 0.97 % longer (0.77 to"
			" 1.13 %). Where it lies moves one comparison by 0.14 %. 40 layouts,"
			" 3 s.");
	verdict->kind = VERDICT_SAME;
	verdict->within = 0.02;
	outcome.elapsed_ns = 420000000;
	expect_sentence("./f.so:b takes as long as ./f.so:a, within 2 %: ratio 1.0097 (1.0077 to"
			" 1.0113), 40 layouts, 0.4 s.");
	verdict->kind = VERDICT_CANNOT_TELL;
	outcome.elapsed_ns = 3100000000;
	verdict->needed = 30;
	verdict->difference = 0.0323;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell: ratio 1.0097 (1.0077 to"
			" 1.0113). Where it lies moves one comparison by 0.14 %. 40 layouts, 3 s."
			" A difference of 3.23 % would take about 120 layouts, about 10 s (-t).");
	verdict->needed = 92;
	assert_int_equal(outcome_needed(&outcome, 1), 368);
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell: ratio 1.0097 (1.0077 to"
			" 1.0113). Where it lies moves one comparison by 0.14 %. 40 layouts, 3 s."
			" A difference of 3.23 % would take more than 364 layouts, which is the"
			" most.");
	verdict->high = INFINITY;
	verdict->needed = 10;
	expect_sentence("./f.so:b relative to ./f.so:a: cannot tell. These were too few layouts: at"
			" least 40 are needed, which takes about 4 s (-t).");
}

/* Without an interval, there are no figures that anybody could trust. */
TEST_WITH(test_few, begin, end)
{
	struct verdict *verdict = &functions[1].measured.verdict;

	verdict->kind = VERDICT_CANNOT_TELL;
	verdict->low = 0;
	verdict->high = INFINITY;
	verdict->needed = 10;
	expect_sentence(
		"./f.so:b relative to ./f.so:a: cannot tell. These were too few processes: at least"
		" 10 are needed, which takes about 2 s (-t, -n).");
}

/* What the processes found, put together. */
static void settle(size_t processes, const double medians[], const double log_ratios[])
{
	outcome.processes = processes;
	outcome.looks = 0;
	outcome.looked = 0;
	for (size_t p = 0; p < processes; p++) {
		functions[0].results[p] = functions[1].results[p] = (struct cpucycles_result){
			.min = medians[p] - 3,
			.q1 = medians[p] - 1,
			.median = medians[p],
			.q3 = medians[p] + 2,
			.iqm = medians[p] + 0.5,
			.batch = p == 1 ? 3 : 2,
			.warnings = p == 2 ? CPUCYCLES_WARNING_MOVED : 0,
		};
		functions[1].log_ratios[p] = log_ratios[p];
	}
}

TEST_WITH(test_settle, begin, end)
{
	static const double medians[] = { 14, 10, 18, 11, 12, 17, 16, 13, 15, 19 };
	static const double ratios[] = {
		0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09, 0.10
	};
	const struct cpucycles_result *r = &functions[0].measured.result;
	const struct verdict *v = &functions[1].measured.verdict;

	settle(10, medians, ratios);
	assert_int_equal(outcome_due(&outcome), 10);
	assert_true(outcome_settle(&outcome));
	assert_true(r->min == 7 && r->q1 == 13.5 && r->median == 14.5 && r->q3 == 16.5);
	assert_true(r->iqm == 15 && r->batch == 3 && r->warnings == CPUCYCLES_WARNING_MOVED);
	/* Of 10, the 2nd from both ends hold the median with 95 %. */
	assert_true(r->low == 11 && r->high == 18);
	assert_true(functions[0].measured.mean_low == 11.5 &&
		    functions[0].measured.mean_high == 18.5);
	assert_int_equal(v->kind, VERDICT_SLOWER);
	assert_true(fabs(log(v->ratio) - 0.055) < 1e-12 && v->low > 1);
	assert_int_equal(outcome_due(&outcome), 15);
	/* One process tells another story, or has no value. */
	for (int i = 0; i < 2; i++) {
		settle(10, medians, ratios);
		functions[1].log_ratios[9] = i ? (double)NAN : -0.2;
		assert_false(outcome_settle(&outcome));
		assert_int_equal(v->kind, VERDICT_CANNOT_TELL);
	}
	/* One process behind the first look: too few for the second look's share. */
	settle(10, medians, ratios);
	functions[1].log_ratios[9] = -0.2;
	assert_false(outcome_settle(&outcome));
	outcome.processes = 11;
	functions[0].results[10] = functions[0].results[9];
	functions[1].results[10] = functions[1].results[9];
	functions[1].log_ratios[10] = 0.1;
	assert_false(outcome_settle(&outcome));
	assert_int_equal(v->kind, VERDICT_CANNOT_TELL);
	assert_true(isfinite(v->high) && v->needed > 10);
	settle(5, medians, ratios);
	assert_false(outcome_settle(&outcome));
	assert_true(isinf(r->low) && isinf(r->high) && isinf(v->high));
	assert_int_equal(v->needed, 10);
}

/* Functions that are linked anew, in processes of which four are a unit. */
static void settle_linked(size_t processes, const double units[])
{
	double medians[OUTCOME_PROCESSES], ratios[OUTCOME_PROCESSES];

	for (size_t p = 0; p < processes; p++) {
		medians[p] = 100;
		/* Far apart in a unit, with the unit's value as their mean. */
		ratios[p] = units[p / 4] + 0.1 * ((double)(p % 4) - 1.5);
	}
	outcome.linked = true;
	settle(processes, medians, ratios);
}

static const double unit_values[] = { 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08,
				      0.09, 0.10, 0.11, 0.12, 0.13, 0.14, 0.15, 0.16 };

TEST_WITH(test_units, begin, end)
{
	const struct verdict *v = &functions[1].measured.verdict;

	settle_linked(40, unit_values);
	assert_int_equal(outcome_due(&outcome), 40);
	assert_true(outcome_settle(&outcome));
	assert_int_equal(v->kind, VERDICT_SLOWER);
	assert_true(fabs(log(v->ratio) - 0.055) < 1e-12);
	assert_true(fabs(log(v->low) - 0.01) < 1e-12);
	assert_int_equal(functions[1].measured.units, 10);
	assert_int_equal(outcome_layouts(&outcome, 1), 40);
	assert_int_equal(outcome_due(&outcome), 60);
	/* Half of the values are 0.05 from the middle of their units, and the others 0.15. */
	assert_true(functions[1].measured.placement > 0.05 &&
		    functions[1].measured.placement < 0.2);
	assert_true(functions[1].measured.by_layout == 0);
	/* Two processes more are no unit, and no look. */
	outcome.processes = 42;
	assert_true(outcome_settle(&outcome));
	assert_int_equal(outcome.looks, 1);
	assert_int_equal(functions[1].measured.units, 10);
	/* Without one value, or one process, there are 9 units. */
	for (int i = 0; i < 2; i++) {
		settle_linked(i ? 39 : 40, unit_values);
		functions[1].log_ratios[17] = i ? 0.05 : (double)NAN;
		assert_false(outcome_settle(&outcome));
		assert_int_equal(functions[1].measured.units, 9);
		assert_int_equal(v->needed, 10);
		assert_int_equal(outcome_needed(&outcome, 1), 40);
	}
	settle_linked(3, unit_values);
	assert_false(outcome_settle(&outcome));
	assert_int_equal(functions[1].measured.units, 0);
	assert_true(functions[1].measured.compared && isnan(v->ratio));
	assert_int_equal(v->needed, 10);
	outcome.error = 0;
	assert_true(outcome_due(&outcome) == SIZE_MAX);
}

/* A look costs a share of the error only if there are more units than at the last one. */
TEST_WITH(test_looks_of_units, begin, end)
{
	const struct verdict *v = &functions[1].measured.verdict;
	double low;

	settle_linked(64, unit_values);
	outcome.processes = 40;
	outcome_settle(&outcome);
	outcome.processes = 60;
	outcome_settle(&outcome);
	assert_int_equal(outcome.looks, 2);
	assert_int_equal(functions[1].measured.units, 15);
	low = v->low;
	outcome.processes = 62;
	outcome_settle(&outcome);
	assert_int_equal(outcome.looks, 2);
	assert_true(v->low == low);
	outcome.processes = 64;
	outcome_settle(&outcome);
	assert_int_equal(outcome.looks, 3);
	assert_int_equal(functions[1].measured.units, 16);
}

TEST_WITH(test_within, begin, end)
{
	static const double ratios[] = { -0.004, -0.003, -0.002, -0.001, 0,
					 0.001,  0.002,  0.003,  0.004,  0.005 };
	static const double medians[10] = { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 };
	const struct verdict *v = &functions[1].measured.verdict;

	settle(10, medians, ratios);
	assert_false(outcome_settle(&outcome));
	assert_int_equal(v->kind, VERDICT_CANNOT_TELL);
	settle(10, medians, ratios);
	outcome.within = 0.01;
	assert_true(outcome_settle(&outcome));
	assert_int_equal(v->kind, VERDICT_SAME);
	assert_true(v->within == 0.01);
	assert_int_equal(functions[1].measured.units, 10);
	assert_int_equal(outcome_layouts(&outcome, 1), 0);
	assert_true(isnan(functions[1].measured.placement) &&
		    isnan(functions[1].measured.by_layout));
	settle_linked(40, ratios);
	assert_true(outcome_settle(&outcome));
	assert_int_equal(v->kind, VERDICT_SAME);
}

/* Half of an interval as a part of the mean, of the function where that is most. */
TEST_WITH(test_precision, begin, end)
{
	/* The means are larger by 0.5. */
	static const double medians[] = { 98.5, 99.5, 99.5, 99.5,  99.5,
					  99.5, 99.5, 99.5, 100.5, 101.5 };
	static const double ratios[10];
	char text[OUTCOME_TEXT];
	size_t widest;

	settle(10, medians, ratios);
	outcome.precision = 0.01;
	outcome.info.step = 1;
	outcome_settle_results(&outcome);
	assert_int_equal(outcome.looks, 0);
	/* The 2nd from both ends: 100 and 101. */
	assert_true(fabs(outcome_precision(&outcome, &widest) - 0.005) < 1e-12);
	assert_true(outcome_is_precise(&outcome));
	outcome_precision_sentence(&outcome, text);
	assert_string_equal(text, "Precision of 1 %: reached: each interval is within 0.5 % of its "
				  "mean, in 10 processes.");
	/* The second function is less precise. */
	functions[1].measured.mean_high = 103;
	assert_true(fabs(outcome_precision(&outcome, &widest) - 0.015) < 1e-12);
	assert_int_equal(widest, 1);
	assert_false(outcome_is_precise(&outcome));
	outcome_precision_sentence(&outcome, text);
	assert_non_null(strstr(text, "not reached in the time (-t): the interval of ./f.so:b is"));
	/* Samples of three calls: a step is 1 / 3 of the mean. Where the samples lie on more steps
	 * than one, that says nothing. */
	outcome.info.step = 100;
	outcome_precision_sentence(&outcome, text);
	assert_null(strstr(text, "step"));
	functions[0].measured.result.q3 = functions[0].measured.result.q1;
	outcome_precision_sentence(&outcome, text);
	assert_non_null(strstr(text, " A step of the counter is 33.3 % of the mean of ./f.so:a"));
	/* Few processes, without intervals or with narrow ones. */
	settle(5, medians, ratios);
	outcome_settle_results(&outcome);
	assert_true(isinf(outcome_precision(&outcome, &widest)));
	outcome_precision_sentence(&outcome, text);
	assert_non_null(strstr(text, "./f.so:a has no interval yet, in 5 processes"));
	settle(9, medians, ratios);
	outcome_settle_results(&outcome);
	assert_true(outcome_precision(&outcome, &widest) <= 0.01);
	assert_false(outcome_is_precise(&outcome));
	/* A mean of 0 has no parts. */
	settle(10, (const double[10]){ 0 }, ratios);
	for (size_t p = 0; p < 10; p++)
		functions[0].results[p].iqm = 0;
	outcome_settle_results(&outcome);
	assert_true(isinf(outcome_precision(&outcome, &widest)));
	functions[0].measured.result.q3 = functions[0].measured.result.q1;
	outcome_precision_sentence(&outcome, text);
	assert_non_null(strstr(text, "not reached: the mean of ./f.so:a is not above 0"));
	assert_null(strstr(text, "inf"));
}

/* The text that a function prints. */
static char *printed(void (*print)(const struct outcome *, FILE *))
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	print(&outcome, to);
	assert_int_equal(fclose(to), 0);
	return text;
}

static void expect_printed(void (*print)(const struct outcome *, FILE *), const char *expected)
{
	char *text = printed(print);

	assert_string_equal(text, expected);
	free(text);
}

static void print_text(const struct outcome *of, FILE *to)
{
	measure_text(of, 1, to);
}

static void expect_line(const char *line)
{
	char *text = printed(print_text);

	if (!strstr(text, line))
		print_message("%s", text);
	assert_non_null(strstr(text, line));
	free(text);
}

static struct outcome_event event_of(const char *name, bool user, bool kernel)
{
	return (struct outcome_event){
		.info = { .name = name, .user = user, .kernel = kernel },
	};
}

/* Instructions, misses, and an event that this machine lacks. */
static void add_events(void)
{
	outcome.events_count = 3;
	outcome.events[0] = event_of("instructions", true, false);
	outcome.events[0].kind = EVENTS_INSTRUCTIONS;
	outcome.events[1] = event_of("cache-misses", true, false);
	outcome.events[1].kind = EVENTS_MISSES;
	outcome.events[2] = event_of("branches", true, false);
	outcome.events[2].error = -ENOENT;
	strcpy(outcome.events[2].reason.what, "branches: there is none");
	strcpy(outcome.events[2].reason.remedy, "look elsewhere");
	outcome.events[OUTCOME_CYCLES] = event_of("cpu-cycles", true, false);
	for (size_t i = 0; i < 2; i++) {
		functions[i].events[0] = 3000;
		functions[i].events[1] = 6;
		functions[i].events[2] = NAN;
		functions[i].events[OUTCOME_CYCLES] = 2000;
		functions[i].events[OUTCOME_TICKS] = NAN;
	}
}

/* The table */

static enum table_form form;

static void print_table(const struct outcome *of, FILE *to)
{
	assert_int_equal(measure_table(of, 1, form, false, to), 0);
}

/* Figures that need no rounding. */
static void even_out(void)
{
	for (size_t i = 0; i < 2; i++) {
		functions[i].measured.result.q1 = 99;
		functions[i].measured.result.median = functions[i].measured.result.iqm =
			100 * (double)(i + 1);
		functions[i].measured.result.q3 = 101;
	}
	outcome.targets_count = 2;
}

#define SENTENCE "./f.so:b is slower than ./f.so:a, as they are linked" FIGURES ".\n"

TEST_WITH(test_table, begin, end)
{
	form = TABLE_TEXT;
	even_out();
	expect_printed(print_table, "counter: made, in ticks, with a step of 2.000 ticks\n\n"
				    "function  ticks/call  time/call  spread  calls\n"
				    "./f.so:a       100.0   100.0 ms   2.0 %      4\n"
				    "./f.so:b       200.0   200.0 ms   1.0 %      4\n\n" SENTENCE);
	/* The time of the runs goes before a rate that is stated, and is there without one. */
	outcome.time = (struct judge_time){ .units = 1000, .ns = 500 };
	outcome.info.hz = 0;
	functions[1].measured.renewed = true;
	targets[0].bytes = 10;
	outcome.interrupted = true;
	expect_printed(print_table,
		       "counter: made, in ticks, with a step of 2.000 ticks\n\n"
		       "function  ticks/call  time/call  spread  calls  ticks/byte    GB/s  note\n"
		       "./f.so:a       100.0   50.00 ns   2.0 %      4       10.00  0.2000\n"
		       "./f.so:b       200.0   100.0 ns   1.0 %      4           -       -  input"
		       " made anew: one call a sample\n\n"
		       "Interrupted: this is what there was.\n\n" SENTENCE);
	functions[1].measured.compared = false;
	functions[1].measured.result.batch = 3;
	functions[1].measured.renewed = false;
	form = TABLE_CSV;
	expect_printed(
		print_table,
		"function,size,unit,mean,mean_low,mean_high,quartile1,median,quartile3,"
		"mean_ns,calls,calls_per_sample,bytes,verdict,ratio,ratio_low,ratio_high,"
		"trimmed_mean_ratio,within,units,layouts,placement_part,warnings,note\n"
		"./f.so:a,,ticks,100,,,99,100,101,50,4,1,10,,,,,,,,,,,\n"
		"./f.so:b,,ticks,200,,,99,200,101,100,12,3,,,,,,,,,,,,\"in a loop of 3 calls:"
		" throughput, not latency\"\n");
}

/* Functions that were dropped, and those that nobody came to. */
TEST_WITH(test_table_of_failures, begin, end)
{
	form = TABLE_TEXT;
	even_out();
	functions[0] = functions[1];
	functions[0].measured.compared = false;
	outcome.count = 1;
	outcome.targets_count = 3;
	targets[0].state = TARGET_CRASHED;
	strcpy(targets[0].reason.what, "it crashed");
	assert_true(outcome_misses_first(&outcome));
	expect_printed(print_table,
		       "counter: made, in ticks, with a step of 2.000 ticks\n\n"
		       "function      ticks/call  time/call  spread  calls  note\n"
		       "./f.so:a               -          -       -      -  it crashed\n"
		       "./f.so:b           200.0   200.0 ms   1.0 %      4\n"
		       "./f.so:a (2)           -          -       -      -  not measured\n\n"
		       "./f.so:a has no figures, so nothing is compared with it.\n");
	expect_line("\n\n./f.so:a has no figures, so nothing is compared with it.\n");
	outcome.opened = false;
	outcome.count = 0;
	outcome.targets_count = 1;
	assert_false(outcome_misses_first(&outcome));
	expect_printed(print_table, "function  time/call  spread  calls  note\n"
				    "./f.so:a          -       -      -  it crashed\n");
	/* A library that does not load is no answer on a function. */
	targets[0].state = TARGET_MEASURED;
	expect_printed(print_table, "");
}

/* Without figures of the first function, no other one takes its place. */
TEST_WITH(test_missing_first, begin, end)
{
	static const double medians[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };

	settle(10, medians, medians);
	assert_true(outcome_settle(&outcome));
	assert_true(functions[1].measured.compared);
	functions[0].target = &targets[1];
	functions[1].target = &targets[2];
	functions[1].measured.compared = false;
	assert_false(outcome_settle(&outcome));
	assert_false(functions[1].measured.compared);
}

/* An outcome for each size of an argument. */
TEST_WITH(test_sizes, begin, end)
{
	struct outcome sizes[2];
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	even_out();
	sizes[0] = sizes[1] = outcome;
	sizes[0].size = 64;
	sizes[1].size = 1024;
	sizes[1].events_count = 0;
	assert_int_equal(measure_table(sizes, 2, TABLE_TEXT, false, to), 0);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, "counter: made, in ticks, with a step of 2.000 ticks\n\n"
				  "function  size  ticks/call  time/call  spread  calls\n"
				  "./f.so:a    64       100.0   100.0 ms   2.0 %      4\n"
				  "./f.so:b    64       200.0   200.0 ms   1.0 %      4\n"
				  "./f.so:a  1024       100.0   100.0 ms   2.0 %      4\n"
				  "./f.so:b  1024       200.0   200.0 ms   1.0 %      4\n\n"
				  "size 64: " SENTENCE "size 1024: " SENTENCE);
	free(text);
}

TEST_WITH(test_table_of_events, begin, end)
{
	form = TABLE_TEXT;
	even_out();
	add_events();
	functions[1].measured.compared = false;
	outcome.info.next_best = 1;
	strcpy(outcome.next_best.what, "there is none");
	expect_printed(print_table,
		       "counter: made, in ticks, with a step of 2.000 ticks\n\n"
		       "function  ticks/call  time/call  spread  calls  instructions  cache-misses"
		       "  cpu-cycles\n"
		       "./f.so:a       100.0   100.0 ms   2.0 %      4          3000         6.000"
		       "        2000\n"
		       "./f.so:b       200.0   200.0 ms   1.0 %      4          3000         6.000"
		       "        2000\n\n"
		       "warning: next best: there is none\n"
		       "warning: not counted: branches: there is none; look elsewhere\n");
	/* The counter's own cycles have a column already. */
	outcome.info.unit = CPUCYCLES_UNIT_CYCLES;
	outcome.events_count = 1;
	outcome.info.next_best = 0;
	expect_printed(print_table,
		       "counter: made, in cycles, with a step of 2.000 cycles\n\n"
		       "function  cycles/call  time/call  spread  calls  instructions\n"
		       "./f.so:a        100.0   100.0 ms   2.0 %      4          3000\n"
		       "./f.so:b        200.0   200.0 ms   1.0 %      4          3000\n");
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

static void expect_verdicts(const char *expected)
{
	char *text = NULL;
	size_t length;
	FILE *to = open_memstream(&text, &length);

	assert_non_null(to);
	verdict_lines_put(&outcome, to);
	assert_int_equal(fclose(to), 0);
	assert_string_equal(text, expected);
	free(text);
}

TEST_WITH(test_verdicts, begin, end)
{
	functions[1].measured.units = 10;
	expect_verdicts("# verdict\tslower 100 75 125 10 ./f.so:b\n");
	functions[1].measured.verdict.kind = VERDICT_CANNOT_TELL;
	functions[1].measured.verdict.high = INFINITY;
	targets[1].label[1] = '\t';
	expect_verdicts("# verdict\tcannot-tell 100 unknown unknown 10 .\\x09f.so:b\n");
	functions[1].measured.verdict.ratio = NAN;
	targets[1].sized = true;
	outcome.size = 64;
	expect_verdicts("# verdict\tcannot-tell unknown unknown unknown 10 64 .\\x09f.so:b\n");
	functions[1].measured.compared = false;
	expect_verdicts("");
}

TEST_WITH(test_text, begin, end)
{
	expect_line("counter     made\nunit        ticks, 1000 per second within 0 ppm\n"
		    "step        2.000 ticks\n");
	expect_line("seed        7\nerror       0.5 % of the comparisons");
	expect_line("\nfunction    ./f.so:a\nsamples     4, each of 1 call\nprocesses   1\n"
		    "minimum     9.000 ticks\nquartiles   9.500 and 100.0 ticks\n"
		    "median      10.25 ticks (10250000 ns)\n"
		    "mean        123456 ticks, the interquartile mean\n\n");
	expect_line("\n\n./f.so:b is slower than ./f.so:a, as they are linked: ");
	functions[0].measured.result.batch = 20;
	functions[0].measured.result.low = 10;
	functions[0].measured.result.high = 11;
	outcome.info.hz = 0;
	expect_line("each of 20 calls\n");
	expect_line("median      10.25 ticks, within 10.00 and 11.00 with 95 % confidence\n");
	outcome.interrupted = true;
	expect_line("\nInterrupted: this is what there was.\n\n./f.so:b is ");
	outcome.linked = true;
	functions[1].measured.by_layout = 0.003;
	expect_line("\nby layout   0.300 % from one layout to the next\n");
}

TEST_WITH(test_warnings, begin, end)
{
	struct judge_warnings warnings = {
		.n = 1,
		.list = { { .name = "moved",
			    .runs = 1,
			    .reason = { .what = "to another CPU", .remedy = "stay there" } } },
	};
	char *text;

	functions[1].measured.warnings = warnings;
	expect_line("warning     moved: to another CPU\n            stay there\n");
	outcome.processes = 12;
	expect_line("warning     moved: to another CPU (in 1 of 12 processes)\n");
	outcome.info.next_best = 1;
	strcpy(outcome.next_best.what, "there is none");
	expect_line("counter     made\nnext best   there is none\nunit ");
	outcome.check = true;
	outcome.count = 0;
	text = printed(print_text);
	assert_null(strstr(text, "fit"));
	free(text);
	outcome.checked = true;
	expect_line("\ncheck       no warning: ");
	outcome.warnings = warnings;
	expect_line("noise       0.000 ticks\nwarning     moved: to another CPU\n");
}

TEST_WITH(test_too_fast, begin, end)
{
	targets[0].bytes = 10;
	expect_line("\nper byte    12345.6 ticks, 0.000 GB/s\n");
	outcome.count = 0;
	targets[1].state = TARGET_TOO_FAST;
	strcpy(targets[1].reason.what, "20 calls take nothing");
	strcpy(targets[1].reason.remedy, "do more");
	expect_line("\nfunction    ./f.so:b\ntoo fast    20 calls take nothing\n"
		    "            do more\n");
}

/* Events */

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

TEST_WITH(test_check, begin, end)
{
	outcome.check = outcome.checked = true;
	outcome.count = 0;
	expect_line("check       no warning: counter, CPU and machine are fit\n");
	machine_judge(&(struct machine){ .load = 10, .cpus = 2, .smt = true }, &outcome.warnings,
		      &outcome.notes);
	expect_line("warning     load: 10.0 programs want to run, the mean of a minute, on 2 CPUs\n"
		    "            end them, or wait until uptime(1) shows 1.0 at most\n"
		    "note        smt: two threads share each core, ");
}

static void expect_no_line(const char *line)
{
	char *text = printed(print_text);

	if (strstr(text, line))
		print_message("%s", text);
	assert_null(strstr(text, line));
	free(text);
}

TEST_WITH(test_events, begin, end)
{
	expect_no_line("event ");
	assert_false(outcome_lacks_events(&outcome));
	add_events();
	assert_true(outcome_lacks_events(&outcome));
	expect_line("\nnot counted branches: there is none\n            look elsewhere\n");
	expect_line("\nevent       3000.0 instructions per call, in user mode\n"
		    "event       6.000 cache-misses per call, in user mode\n"
		    "event       2.000 cache-misses per thousand instructions\n"
		    "event       2000.0 cpu-cycles per call, in user mode\n"
		    "event       1.500 instructions per cycle\n");
	expect_no_line("branches per call");
	expect_no_line("nan");
	expect_no_line("time-stamp counter");
	functions[0].events[OUTCOME_TICKS] = functions[1].events[OUTCOME_TICKS] = 12;
	expect_line("\nevent       12.00 ticks of the time-stamp counter per call\n");
	outcome.events[2].error = 0;
	assert_false(outcome_lacks_events(&outcome));
	expect_no_line("not counted");
}

static double per_cycle(void)
{
	return outcome_instructions_per_cycle(&outcome, &functions[0]);
}

static double per_thousand(size_t event)
{
	return outcome_per_thousand_instructions(&outcome, &functions[0], event);
}

/* Figures that are made of two counts: both have to be there, and of the same modes. */
TEST_WITH(test_quotients, begin, end)
{
	assert_true(isnan(per_cycle())); /* no events at all */
	add_events();
	assert_true(per_cycle() == 1.5);
	assert_true(per_thousand(1) == 2);
	assert_true(isnan(per_thousand(0))); /* these are no misses */
	assert_true(isnan(per_thousand(2)));

	outcome.events[OUTCOME_CYCLES].info.kernel = 1;
	assert_true(isnan(per_cycle()));
	outcome.events[0].info.kernel = 1;
	assert_true(per_cycle() == 1.5);
	assert_true(isnan(per_thousand(1)));
	outcome.events[1].info.kernel = 1;
	assert_true(per_thousand(1) == 2);

	outcome.events[1].error = -ENOENT;
	assert_true(isnan(per_thousand(1)));
	functions[0].events[OUTCOME_CYCLES] = 0;
	assert_true(isnan(per_cycle()));
	functions[0].events[OUTCOME_CYCLES] = NAN;
	assert_true(isnan(per_cycle()));
}

/* Where the meter's own counter counts cycles, the events need no others. */
TEST_WITH(test_cycles_of_the_counter, begin, end)
{
	add_events();
	outcome.events[OUTCOME_CYCLES] = event_of("", false, false);
	outcome.events[OUTCOME_CYCLES].error = -EBUSY;
	assert_true(per_cycle() == 1.5);
	expect_line("\nevent       2000.0 cpu-cycles per call, by the counter\n"
		    "event       1.500 instructions per cycle\n");
	/* That counter counts user mode only. */
	outcome.events[0].info.kernel = 1;
	assert_true(isnan(per_cycle()));
}

TEST_WITH(test_quotients_without_instructions, begin, end)
{
	add_events();
	functions[0].events[0] = 0;
	assert_true(per_cycle() == 0);
	assert_true(isnan(per_thousand(1)));
	functions[0].events[0] = 3000;
	outcome.events[0].error = -ENOENT;
	assert_true(isnan(per_cycle()) && isnan(per_thousand(1)));
	/* A second event of instructions does as well. */
	outcome.events[2] = outcome.events[0];
	outcome.events[2].error = 0;
	functions[0].events[2] = 500;
	assert_true(per_cycle() == 0.25 && per_thousand(1) == 12);
}

TEST_WITH(test_modes, begin, end)
{
	struct cpucycles_event_info info = { .user = 1 };

	assert_string_equal(outcome_modes(&info), "user mode");
	info.kernel = 1;
	assert_string_equal(outcome_modes(&info), "user mode and kernel");
	info.user = 0;
	assert_string_equal(outcome_modes(&info), "kernel");
}

#ifdef HAVE_JANSSON
/* All functions have an argument of this size. */
static void give_size(size_t size)
{
	outcome.size = size;
	for (size_t i = 0; i < 3; i++) {
		targets[i].sized = true;
		targets[i].size = size;
	}
}

static bool (*make_json)(const struct outcome[], size_t, FILE *) = measure_json;

static void print_json(const struct outcome *of, FILE *to)
{
	assert_true(make_json(of, 1, to));
}

static void expect_json(const char *part)
{
	char *text = printed(print_json), *to = text;

	/* Without blanks and the ends of lines. */
	for (const char *from = text; *from; from++)
		if (!strchr(" \n", *from))
			*to++ = *from;
	*to = 0;
	if (!strstr(text, part))
		print_message("%s\n", text);
	assert_non_null(strstr(text, part));
	free(text);
}

/* No count is null, never 0. */
TEST_WITH(test_json_of_events, begin, end)
{
	expect_json("\"events\":[],");
	add_events();
	outcome.events[0].info.checked = 1;
	expect_json("{\"name\":\"instructions\",\"counted\":true,\"user\":true,\"kernel\":false,"
		    "\"checked\":true,\"text\":null,\"remedy\":null}");
	expect_json("{\"name\":\"branches\",\"counted\":false,\"user\":true,\"kernel\":false,"
		    "\"checked\":false,\"text\":\"branches:thereisnone\","
		    "\"remedy\":\"lookelsewhere\"}");
	expect_json("{\"name\":\"cache-misses\",\"per_call\":6.0,"
		    "\"per_thousand_instructions\":2.0},"
		    "{\"name\":\"branches\",\"per_call\":null,"
		    "\"per_thousand_instructions\":null}],"
		    "\"cycles_per_call\":2000.0,\"instructions_per_cycle\":1.5,"
		    "\"time_stamp_ticks_per_call\":null}");
}

TEST_WITH(test_json, begin, end)
{
	even_out();
	make_json = measure_json;
	outcome.time = (struct judge_time){ .units = 1000, .ns = 500 };
	targets[0].bytes = 10;
	functions[0].measured.renewed = true;
	expect_json(
		"\"state\":\"measured\",\"text\":null,\"remedy\":null,\"bytes\":10,\"figures\":");
	functions[0].measured.by_layout = 0.25;
	functions[0].measured.mean_low = 98;
	functions[0].measured.mean_high = 102;
	expect_json("\"calls_per_sample\":1,\"input_made_anew\":true,\"minimum_units\":9.0,"
		    "\"quartile1_units\":99.0,\"median_units\":100.0,\"median_low_units\":null,"
		    "\"median_high_units\":null,\"quartile3_units\":101.0,"
		    "\"interquartile_mean_units\":100.0,"
		    "\"interquartile_mean_low_units\":98.0,"
		    "\"interquartile_mean_high_units\":102.0,"
		    "\"interquartile_mean_ns\":50.0,\"median_ns\":50.0,"
		    "\"by_layout_part\":0.25,\"warnings\":[],\"verdict\":null,");
	outcome.time.units = 0;
	outcome.info.hz = 0;
	expect_json("\"median_ns\":null,");
	give_size(64);
	expect_json("\"size\":64}");
	give_size(0);
	expect_json("\"size\":0}");
}

/* Whose cycles are counted. */
TEST_WITH(test_whose_cycles, begin, end)
{
	outcome.info.unit = CPUCYCLES_UNIT_CYCLES;
	outcome.info.hz = 0;
	expect_line("\nunit        cycles of the CPU, whichever thread runs there\nstep");
	outcome.info.own_thread = 1;
	expect_line("\nunit        cycles of this thread alone\nstep");
	make_json = measure_json;
	expect_json("\"unit\":\"cycles\",\"own_thread\":true,");
	outcome.info.own_thread = 0;
	expect_json("\"unit\":\"cycles\",\"own_thread\":false,");
}

TEST_WITH(test_json_of_layouts, begin, end)
{
	make_json = measure_json;
	functions[1].measured.placement = functions[1].measured.by_layout = NAN;
	functions[1].measured.units = 10;
	functions[1].measured.mean_verdict =
		(struct verdict){ .ratio = 3, .low = 2.5, .high = 3.5 };
	expect_json("\"ratio\":2.0,\"ratio_low\":1.75,\"ratio_high\":2.25,"
		    "\"trimmed_mean_ratio\":3.0,\"trimmed_mean_ratio_low\":2.5,"
		    "\"trimmed_mean_ratio_high\":3.5,\"within\":null,"
		    "\"units\":10,\"layouts\":null,\"placement_part\":null,"
		    "\"processes_needed\":null,\"processes_needed_for\":null,");
	outcome.linked = true;
	functions[1].measured.verdict.within = 0.5;
	functions[1].measured.verdict.kind = VERDICT_SAME;
	functions[1].measured.verdict.needed = 30;
	functions[1].measured.verdict.difference = 0.25;
	functions[1].measured.placement = 0.25;
	functions[1].measured.by_layout = 0.125;
	expect_json("\"word\":\"same\",");
	expect_json("\"within\":0.5,\"units\":10,\"layouts\":40,\"placement_part\":0.25,"
		    "\"processes_needed\":120,\"processes_needed_for\":0.25,");
	expect_json("\"by_layout_part\":0.125,\"warnings\":[],\"verdict\":{");
}

static bool put_benchmark(const struct outcome outcomes[], size_t n, FILE *to)
{
	return measure_benchmark(outcomes, n, 3, to);
}

/* What tools/compare.py of google/benchmark reads. */
TEST_WITH(test_benchmark, begin, end)
{
	/* The means are larger by 0.5. */
	static const double medians[] = { 99.5, 199.5 };

	settle(2, medians, medians);
	even_out();
	make_json = put_benchmark;
	outcome.time = (struct judge_time){ .units = 1000, .ns = 500 };
	outcome.targets_count = 3;
	targets[0].bytes = 10;
	targets[2].state = TARGET_HUNG;
	strcpy(targets[2].reason.what, "it hung");
	functions[0].results[1].samples = 7;
	expect_json("{\"name\":\"./f.so:a\",\"run_name\":\"./f.so:a\",\"repetitions\":2,"
		    "\"threads\":1,\"run_type\":\"iteration\",\"repetition_index\":1,"
		    "\"iterations\":21,\"ticks\":200.0,\"real_time\":100.0,\"cpu_time\":100.0,"
		    "\"time_unit\":\"ns\",\"bytes_per_second\":100000000.0}");
	expect_json("{\"name\":\"./f.so:a_median\",\"run_name\":\"./f.so:a\",\"repetitions\":2,"
		    "\"threads\":1,\"run_type\":\"aggregate\",\"aggregate_name\":\"median\","
		    "\"aggregate_unit\":\"time\",\"iterations\":2,\"ticks\":100.0,"
		    "\"real_time\":50.0,");
	expect_json("\"cpucycles_failures\":[{\"name\":\"./f.so:a(2)\",\"message\":\"ithung\"}]");
	give_size(64);
	expect_json("\"name\":\"./f.so:a/64\",");
	/* An entry without a time would keep the others from being compared. */
	outcome.time.units = 0;
	outcome.info.hz = 0;
	expect_json("{\"name\":\"./f.so:b/64\",\"message\":\"itstimeisnotknown\"}");
	expect_json("\"benchmarks\":[]}");
	make_json = measure_json;
}
#else
TEST_NOT_HERE(test_json_of_events, "built without jansson")
TEST_NOT_HERE(test_json, "built without jansson")
TEST_NOT_HERE(test_json_of_layouts, "built without jansson")
TEST_NOT_HERE(test_benchmark, "built without jansson")
#endif

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

/* The gate does not pass a function that is longer on average by the gate, whatever its typical
 * calls say. */
TEST(test_gate_and_mean)
{
	static struct outcome_function both[2];
	const struct target pair[2] = { { .label = "f.c:f", .function = "f" },
					{ .label = "f.c:g", .function = "g" } };
	struct outcome one = { .gate = 0.01,
			       .targets = pair,
			       .targets_count = 2,
			       .functions = both,
			       .count = 2,
			       .processes = 10 };
	struct verdict *const mean = &both[1].measured.mean_verdict;
	char text[OUTCOME_TEXT];

	both[0].target = &pair[0];
	both[1].target = &pair[1];
	both[1].measured.compared = true;
	both[1].measured.verdict = (struct verdict){ .kind = VERDICT_FASTER, .ratio = 0.98 };
	*mean = (struct verdict){ .kind = VERDICT_SLOWER, .ratio = 1.009, .low = 1.005 };
	assert_int_equal(gate_status(&one, 1), OUTCOME_OK);
	mean->ratio = 1.01;
	assert_int_equal(gate_status(&one, 1), OUTCOME_UNDECIDED);
	mean->kind = VERDICT_CANNOT_TELL;
	assert_int_equal(gate_status(&one, 1), OUTCOME_UNDECIDED);
	assert_true(outcome_gate_sentence(&one, text));
	assert_string_equal(text, "Gate of 1 %: cannot tell.");
	one.pair = true;
	outcome_pairs_sentence(&one, 1, text);
	assert_non_null(strstr(text, " Slower by 1 % or more on average only: 1 (f)."));
	both[1].measured.verdict.kind = VERDICT_CANNOT_TELL;
	outcome_pairs_sentence(&one, 1, text);
	assert_non_null(strstr(text, " Cannot tell: 1 (f)."));
	one.pair = false;
	both[1].measured.verdict.kind = VERDICT_SLOWER;
	both[1].measured.verdict.ratio = 1.02;
	assert_int_equal(gate_status(&one, 1), OUTCOME_ALARM);
	assert_true(outcome_gate_sentence(&one, text));
	assert_string_equal(text, "Gate of 1 %: alarm.");
	both[1].measured.verdict.kind = VERDICT_SAME;
	mean->kind = VERDICT_FASTER;
	mean->ratio = 0.9;
	assert_int_equal(gate_status(&one, 1), OUTCOME_OK);
}

/* Pairs of functions, with what came of each. */
TEST(test_pairs)
{
	enum { PAIRS = 7 };
	static struct outcome_function both[PAIRS][2];
	static char names[PAIRS][200] = { "a", "b", "c", "d", "e", "f", "g" };
	struct target pair[PAIRS][2];
	struct outcome outcomes[PAIRS] = { { .pair = true } };
	char text[OUTCOME_TEXT];

	assert_false(outcome_pairs_sentence(&(struct outcome){ .pair = false }, 1, text));
	for (size_t i = 0; i < PAIRS; i++) {
		for (size_t k = 0; k < 2; k++) {
			pair[i][k] = (struct target){ .function = names[i] };
			both[i][k].target = &pair[i][k];
		}
		both[i][1].measured.compared = true;
		both[i][1].measured.verdict = (struct verdict){ .kind = VERDICT_SAME, .ratio = 1 };
		outcomes[i] = (struct outcome){
			.pair = true,
			.gate = 0.01,
			.targets = pair[i],
			.targets_count = 2,
			.functions = both[i],
			.count = 2,
		};
	}
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_OK);
	outcome_pairs_sentence(outcomes, PAIRS, text);
	assert_string_equal(text, "Gate of 1 %: passed. Functions in both files: 7. "
				  "Passed: 7 (a, b, c, d, e, f, g).");

	/* What fails in both files is left out, unless somebody has asked for it. */
	pair[0][0].state = pair[0][1].state = TARGET_CRASHED;
	outcomes[0].count = 0;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_OK);
	assert_int_equal(gate_status(outcomes, 1), OUTCOME_UNDECIDED);
	outcomes[0].named = true;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_UNDECIDED);
	outcomes[0].named = false;
	pair[0][0].state = pair[0][1].state = TARGET_NOT_LINKED;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_UNDECIDED);
	pair[0][0].state = pair[0][1].state = TARGET_CRASHED;
	pair[1][1].state = TARGET_HUNG;
	outcomes[1].count = 1;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_UNDECIDED);

	both[2][1].measured.verdict.kind = VERDICT_SLOWER;
	both[2][1].measured.verdict.ratio = 1.009;
	both[3][1].measured.verdict.kind = VERDICT_FASTER;
	both[3][1].measured.verdict.ratio = 0.5;
	both[4][1].measured.verdict.kind = VERDICT_CANNOT_TELL;
	assert_string_equal(outcome_gate_word(outcomes, PAIRS), "cannot tell");
	both[5][1].measured.verdict.kind = VERDICT_SLOWER;
	both[5][1].measured.verdict.ratio = 1.01;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_ALARM);
	outcome_pairs_sentence(outcomes, PAIRS, text);
	assert_string_equal(text, "Gate of 1 %: alarm. Functions in both files: 7. "
				  "Slower by 1 % or more: 1 (f). Passed: 3 (c, d, g). "
				  "Cannot tell: 1 (e). Failed: 1 (b). "
				  "Left out, because they fail in both files: 1 (a).");
	assert_false(outcome_gate_sentence(&outcomes[5], text));

	/* Without a gate, each verdict counts as what it says. */
	for (size_t i = 0; i < PAIRS; i++)
		outcomes[i].gate = 0;
	assert_int_equal(gate_status(outcomes, PAIRS), OUTCOME_OK);
	memset(names[2], 'x', sizeof names[2] - 1);
	memset(names[5], 'y', 90);
	outcome_pairs_sentence(outcomes, PAIRS, text);
	assert_string_equal(text, "Functions in both files: 7. Slower: 2. Faster: 1 (d). "
				  "The same: 1 (g). Cannot tell: 1 (e). Failed: 1 (b). "
				  "Left out, because they fail in both files: 1 (a).");
	names[2][60] = 0;
	outcome_pairs_sentence(outcomes, 3, text);
	assert_non_null(strstr(text, " Slower: 1 (xxxx"));
	outcome_pairs_sentence(outcomes, PAIRS, text);
	assert_non_null(strstr(text, "xxx and others). Faster: 1 (d)."));
}

int main(void)
{
	return unit_run("measure", NULL, NULL);
}
