/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is said of a test for leaks, from results that are made here. */

#include "config.h"

#include "unit.h"

#include "measure/report/leak-text.h"

#include <math.h>

static struct target target = { .function = (char *)"check", .label = (char *)"f.c:check" };
static struct outcome outcome;
static const struct leak_report report = { .outcome = &outcome };

/* All deciles have this difference, within so much. */
static void make(int verdict, double difference, double within)
{
	outcome = (struct outcome){ .elapsed_ns = UINT64_C(2000000000) };
	outcome.info.unit = CPUCYCLES_UNIT_CYCLES;
	outcome.info.resolution = 1;
	outcome.targets = &target;
	outcome.leak.known = true;
	outcome.leak.took_ns = UINT64_C(2000000000);
	outcome.leak.result = (struct cpucycles_leak_findings){
		.verdict = verdict,
		.threshold = 2,
		.surest = 50,
		.p_value = 1.0 / 412345,
		.control_p_value = 1,
		.beyond_most = 0.012,
		.beyond_quantile = 98,
		.beyond_high = 0.003,
		.beyond_within = 0.007,
		.calls = { 1000, 1000 },
	};
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		outcome.leak.quantiles.deciles[i] =
			(struct groups_interval){ 100, difference, difference - within,
						  difference + within };
	outcome.leak.quantiles.tail = (struct groups_interval){ 0.01, 0.001, -0.001, 0.003 };
	outcome.leak.quantiles.head = outcome.leak.quantiles.tail;
}

static void expect_sentence(const char *expected)
{
	char text[LEAK_TEXT];

	leak_sentence(&report, text);
	assert_string_equal(text, expected);
}

#define PLACE "To find the place in the code: cpucycles-leak(7), Where the leak is."

static void expect_advice(const char *expected)
{
	char text[LEAK_TEXT];

	leak_advice(&report, text);
	assert_string_equal(text, expected);
}

TEST(test_leaks)
{
	make(CPUCYCLES_LEAK_FOUND, -37, 3);
	expect_sentence(
		"check leaks: 37.0 cycles of 100 at the median, at most 40.0. By chance: at most "
		"1 in 410,000.");
	expect_advice(PLACE);
	assert_int_equal(leak_status(&report), OUTCOME_ALARM);
	outcome.leak.result.p_value = 0;
	outcome.leak.result.surest = 20;
	expect_sentence("check leaks: 37.0 cycles of 100 at the quantile of 20 %, at most 40.0. By "
			"chance: at most 1 in 1,000,000,000.");
}

/* A call that seems to take less than nothing. */
TEST(test_shorter_than_overhead)
{
	make(CPUCYCLES_LEAK_FOUND, -64, 3);
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		outcome.leak.quantiles.deciles[i].group0 = 0.66;
	expect_sentence(
		"check leaks: 64.0 cycles at the median, at most 67.0. By chance: at most 1 in "
		"410,000.");
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		outcome.leak.quantiles.deciles[i].group0 = 60;
	expect_sentence(
		"check leaks: 64.0 cycles of 64 at the median, at most 67.0. By chance: at most 1 "
		"in 410,000.");
}

TEST(test_small)
{
	make(CPUCYCLES_LEAK_FOUND, 0.5, 0.2);
	outcome.leak.result.shown_below = 1;
	expect_sentence(
		"check leaks: 0.50 cycles of 100 at the median, at most 0.70. By chance: at most "
		"1 in 410,000.");
	expect_advice(
		PLACE
		" If less than 2 cycles does not matter: --above 2. The counter moves in steps "
		"of 1 cycles, so the size of the difference is rough.");
	outcome.leak.result.verdict = CPUCYCLES_LEAK_NONE_ABOVE;
	expect_advice("By --above, that does not matter. Other inputs may show more: see "
		      "cpucycles-leak(7).");
	expect_sentence(
		"check leaks, by less than 2 cycles: 0.50 cycles of 100 at the median, at most "
		"0.70; up to 1.20 % of the calls differ by more than 2 cycles. By chance: at "
		"most 1 in 410,000.");
	assert_int_equal(leak_status(&report), OUTCOME_OK);
}

TEST(test_slowest_calls)
{
	make(CPUCYCLES_LEAK_FOUND, 0.1, 0.2);
	outcome.leak.result.surest = 99;
	outcome.leak.quantiles.tail = (struct groups_interval){ 0.002, 0.016, 0.015, 0.017 };
	expect_sentence(
		"check leaks: 1.80 % of the calls of group 1 are among the slowest 1 %, and 0.20 "
		"% of group 0. By chance: at most 1 in 410,000.");
	outcome.leak.result.surest = 1;
	expect_sentence(
		"check leaks: 1.10 % of the calls of group 1 are among the fastest 1 %, and 1.00 "
		"% of group 0. By chance: at most 1 in 410,000.");
	outcome.leak.result.surest = 90;
	outcome.leak.result.beyond_high = 0.018;
	expect_sentence(
		"check leaks: 0.10 cycles of 100 at the quantile of 90 %, at most 0.30, but up "
		"to 1.80 % of the calls differ by more than 2 cycles. By chance: at most 1 in "
		"410,000.");
}

TEST(test_none)
{
	char text[LEAK_TEXT];

	make(CPUCYCLES_LEAK_NONE_ABOVE, 0.1, 0.5);
	expect_sentence(
		"No difference above 2 cycles in check: at most 0.60 of 100; up to 1.20 % of the "
		"calls differ by more than 2 cycles. By chance: at most 1 in 200.");
	outcome.leak.result.beyond_most = 0;
	leak_sentence(&report, text);
	assert_non_null(strstr(text, " up to 0.01"));
	expect_advice("This is no proof that its time does not depend on its input: see "
		      "cpucycles-leak(7).");
}

TEST(test_cannot_tell)
{
	make(CPUCYCLES_LEAK_CANNOT_TELL, 1, 2);
	expect_sentence(
		"Cannot tell whether check leaks by more than 2 cycles: 1.0 cycles of 101 at the "
		"median, at most 3.0. By chance: at most 1 in 410,000.");
	outcome.leak.result.p_value = 1;
	outcome.leak.result.calls_needed = 12345;
	expect_sentence("Cannot tell whether check leaks: none is shown, but a difference of 3.00 "
			"cycles at the quantile of 10 % is not excluded. Above 2 it would matter.");
	expect_advice("About 13,000 calls of each group might tell, in the place of 1,000: -t 26. "
		      "A leak may show earlier.");
	/* To open the counter has taken half of the time. */
	outcome.leak.took_ns = UINT64_C(1000000000);
	expect_advice("About 13,000 calls of each group might tell, in the place of 1,000: -t 13. "
		      "A leak may show earlier.");
	/* The calls took longer than was asked for. */
	outcome.plan.budget_ns = 1;
	expect_advice("About 13,000 calls of each group might tell, in the place of 1,000: -t 13. "
		      "A leak may show earlier.");
	outcome.plan.budget_ns = UINT64_C(1000000000);
	outcome.plan.samples = 26000;
	expect_advice("About 13,000 calls of each group might tell, in the place of 1,000: -t 13. "
		      "A leak may show earlier.");
	/* The time ended the test, and that number would end the next one. */
	outcome.plan.samples = 25999;
	expect_advice("About 13,000 calls of each group might tell, in the place of 1,000: "
		      "-n 26000 -t 13. A leak may show earlier.");
	outcome.leak.result.calls_needed = 3000000000;
	outcome.leak.took_ns = 900;
	expect_advice("About 3,000,000,000 calls of each group might tell, in the place of 1,000: "
		      "-t 3 without -n. A leak may show earlier.");
	outcome.leak.took_ns = UINT64_C(1000000000);
	outcome.leak.result.calls_needed = 100000000;
	expect_advice("To tell would take more than a day: give a larger --above, such as 6.0. A "
		      "leak may show earlier.");
	outcome.leak.result.calls_needed = 12345;
	outcome.plan.samples = 2000;
	expect_advice("About 13,000 calls of each group might tell, in the place of 1,000: "
		      "-n 26000 -t 13. A leak may show earlier.");
	outcome.plan.budget_ns = UINT64_C(100000000000);
	expect_advice("About 13,000 calls of each group might tell, in the place of 1,000: "
		      "-n 26000. A leak may show earlier.");
	assert_int_equal(leak_status(&report), OUTCOME_UNDECIDED);
	outcome.info.resolution = 24.5;
	outcome.leak.result.calls_needed = 0;
	outcome.leak.quantiles.deciles[4].low = outcome.leak.quantiles.deciles[4].high = 0;
	expect_advice("No number of calls tells, because each gives the same count: give a larger "
		      "--above. The counter moves in steps of 24.5 cycles, so such a small "
		      "difference is hard to see: -r cycles takes a finer one, which "
		      "cpucycles-open(8) may have to open.");
	make(CPUCYCLES_LEAK_CANNOT_TELL, 0, 1);
	outcome.leak.result.p_value = 1;
	outcome.leak.result.beyond_high = 0.008;
	expect_sentence(
		"Cannot tell whether check leaks: none is shown, but up to 0.80 % of the calls "
		"may differ by more than 2 cycles. From 0.70 % on it would matter.");
	make(CPUCYCLES_LEAK_CANNOT_TELL, 0, INFINITY);
	outcome.leak.result.p_value = 1;
	expect_sentence("Cannot tell whether check leaks: there were too few calls.");
	outcome.plan.samples = 0;
	outcome.leak.took_ns = UINT64_C(2000000000);
	expect_advice("About 5,000 calls of each group show how many would tell: -t 10.");
	outcome.leak.result.calls[0] = outcome.leak.result.calls[1] = 100;
	expect_advice("About 5,000 calls of each group show how many would tell: -t 100. A large "
		      "difference may show after 200: -t 4.");
	outcome.plan.samples = 100;
	expect_advice("About 5,000 calls of each group show how many would tell: -n 10000 -t 100. "
		      "A large difference may show after 200: -n 400.");
	outcome.leak.result.calls[0] = outcome.leak.result.calls[1] = 5000;
	expect_advice("More calls may tell: give more time by -t, or more calls by -n.");
	outcome.leak.result.beyond_high = INFINITY;
	outcome.leak.moved = true;
	expect_sentence(
		"Cannot tell whether check leaks: the speed of the core or the work of its calls "
		"changed during the test.");
	expect_advice("Test again while the machine has less to do. If the answer comes again, let "
		      "each call do the same work.");
	/* In cycles, a frequency that changes is no reason. */
	outcome.leak.result.units_per_cycle = 0.5;
	expect_sentence("Cannot tell whether check leaks: other programs or the work of its calls "
			"changed during the test.");
	outcome.leak.moved = false;
	outcome.leak.result.discarded[1] = 1001;
	outcome.leak.result.calls_needed = 30000;
	outcome.leak.result.calls[0] = outcome.leak.result.calls[1] = 0;
	expect_advice("Most calls are void, because the thread changed its CPU: taskset(1) keeps "
		      "it on one. More calls may tell: give more time by -t, or more calls by "
		      "-n.");
}

TEST(test_no_verdict)
{
	make(CPUCYCLES_LEAK_NO_CONTROL, 30, 1);
	outcome.leak.result.control_p_value = 1e-4;
	expect_sentence(
		"No verdict on check: equal inputs that were made in both ways differ, too. By "
		"chance: at most 1 in 10,000.");
	expect_advice(
		"The harness or the machine is at fault. Test again while the machine has less "
		"to do: see cpucycles-leak(7).");
	assert_int_equal(leak_status(&report), OUTCOME_UNDECIDED);
}

/* Two lines are for everybody, and the rest is for -v. */
TEST(test_two_lines)
{
	FILE *to = tmpfile();
	size_t lines = 0;
	int c;

	assert_non_null(to);
	make(CPUCYCLES_LEAK_FOUND, -37, 3);
	leak_put_text(&report, false, false, to);
	rewind(to);
	while ((c = getc(to)) != EOF)
		lines += c == '\n';
	assert_int_equal(lines, 2);
	fclose(to);
}

static bool has_line(FILE *to, const char *expected)
{
	char line[LEAK_TEXT];
	bool found = false;

	rewind(to);
	while (fgets(line, sizeof line, to))
		found = found || !strcmp(line, expected);
	return found;
}

/* A name of any length stays within the text, and so do bars of nonsense. */
TEST(test_nonsense)
{
	static char name[4096];
	double times[] = { NAN, INFINITY, -INFINITY, 1e300, 1 };
	char text[LEAK_TEXT];
	FILE *to = tmpfile();

	assert_non_null(to);
	make(CPUCYCLES_LEAK_FOUND, 1e17, INFINITY);
	memset(name, 'x', sizeof name - 1);
	target.function = name;
	leak_sentence(&report, text);
	assert_true(strlen(text) < LEAK_TEXT);
	outcome.info.counter = "c";
	for (size_t i = 0; i < 2; i++) {
		outcome.leak_times[i] = times;
		outcome.leak.kept[i] = sizeof times / sizeof times[0];
	}
	leak_put_text(&report, true, true, to);
	times[3] = 1;
	leak_put_text(&report, true, false, to);
	assert_true(has_line(to, "group 0 |@|\n"));
	leak_put_times(&report, to);
	assert_false(ferror(to));
	fclose(to);
	target.function = (char *)"check";
}

/* Times in cycles of a counter that counts ticks, or in ticks. */
TEST(test_units)
{
	FILE *to = tmpfile();

	assert_non_null(to);
	make(CPUCYCLES_LEAK_FOUND, 30, 1);
	outcome.info = (struct cpucycles_counter_info){ .counter = "c",
							.unit = CPUCYCLES_UNIT_TICKS,
							.resolution = 25 };
	outcome.leak.cycles_from = CPUCYCLES_CYCLES_EMULATED;
	leak_put_text(&report, true, false, to);
	assert_true(has_line(
		to, "calls: 1000 of group 0 (the fixed input), 1000 of group 1 (a "
		    "random input); discarded: 0 and 0; 2 s; c, in ticks, with a resolution of "
		    "25.00 ticks; no core cycles: instructions take as long as in an "
		    "emulator\n"));
	leak_put_times(&report, to);
	assert_true(has_line(to, "# unit\tticks\n"));
	assert_true(has_line(to, "# step\t25\n"));
	expect_advice(PLACE);
	outcome.leak.cycles_from = CPUCYCLES_CYCLES_CHAIN;
	outcome.leak.result.units_per_cycle = 0.5;
	leak_put_text(&report, true, false, to);
	assert_true(has_line(
		to, "calls: 1000 of group 0 (the fixed input), 1000 of group 1 (a "
		    "random input); discarded: 0 and 0; 2 s; c, in ticks, with a resolution of "
		    "25.00 ticks; core cycles by a chain of known length\n"));
	leak_put_times(&report, to);
	assert_true(has_line(to, "# unit\tcycles\n"));
	assert_true(has_line(to, "# step\t50\n"));
	expect_advice(PLACE
		      " The counter moves in steps of 50 cycles, so the size of the difference is "
		      "rough.");
	fclose(to);
}

/* Without a look, no zeros stand for what is not known. */
TEST(test_unseen)
{
	FILE *to = tmpfile();

	assert_non_null(to);
	make(CPUCYCLES_LEAK_CANNOT_TELL, 0, INFINITY);
	outcome.info.counter = "c";
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		outcome.leak.quantiles.deciles[i].group0 = 0;
	outcome.leak.quantiles.tail = outcome.leak.quantiles.head =
		outcome.leak.quantiles.deciles[0];
	leak_put_text(&report, true, false, to);
	assert_true(has_line(to, "      10 %        -        -           -         -\n"));
	assert_true(has_line(to, " up to 1 %        -        -           -         -\n"));
	assert_true(has_line(to, "above 99 %        -        -           -         -\n"));
	leak_put_times(&report, to);
	assert_true(has_line(to, "# decile\t10 unknown unknown unknown unknown\n"));
	assert_true(has_line(to, "# times\t0 0\n"));
	fclose(to);
}

UNIT_MAIN_SEEDED("leak-text", NULL, NULL)
