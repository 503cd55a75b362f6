/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is made of a run's blocks and clocks. The runs are made here. */

#include "config.h"

#include "unit.h"
#include "judge.h"

#include <errno.h>
#include <math.h>

#define WORKS 3
#define BLOCKS 100
#define SAMPLES 10
#define ERROR 0.005

static double samples[SAMPLES], scratch[4 * BLOCKS], blocks[WORKS][RUN_PLACES_MAX][BLOCKS];
static struct track tracks[WORKS];
static struct run run;

/* A comparison of three works, each of which takes so much longer than the first. */
static void make_run(double second, double third)
{
	const double times[WORKS] = { 100, 100 * second, 100 * third };

	memset(&run, 0, sizeof run);
	run.works = WORKS;
	run.tracks = tracks;
	run.scratch = scratch;
	run.places = RUN_PLACES_MAX;
	run.iterations = 1;
	run.rounds = 1;
	run.block = VERDICT_BLOCK;
	run.alpha = ERROR;
	for (size_t i = 0; i < WORKS; i++) {
		tracks[i].samples = samples;
		for (size_t place = 0; place < RUN_PLACES_MAX; place++) {
			tracks[i].blocks[place] = blocks[i][place];
			for (size_t block = 0; block < BLOCKS; block++)
				blocks[i][place][block] = times[i];
		}
	}
}

static struct cpucycles_verdict verdict_of(size_t i)
{
	struct judge_findings f = { .run = &run };
	struct cpucycles_verdict v;

	judge_compare(&run, i, &f.verdict);
	judge_verdict(&f, &v);
	return v;
}

/* Of so many blocks, all say "slower". The last look was at so many. */
static int verdict_at(unsigned look, size_t looked, size_t n)
{
	run.look = look;
	run.looked = looked;
	run.blocks = n;
	return verdict_of(1).verdict;
}

/* A look at all blocks has its share of the error. With more blocks than at the last look, it is
 * the next look, whose share is smaller. */
TEST(shares_of_the_error)
{
	make_run(1.1, 1.1);
	assert_int_equal(verdict_at(0, 0, 9), CPUCYCLES_VERDICT_CANNOT_TELL);
	assert_int_equal(verdict_at(0, 0, 10), CPUCYCLES_VERDICT_SLOWER);
	assert_int_equal(verdict_at(1, 10, 10), CPUCYCLES_VERDICT_SLOWER);
	assert_int_equal(verdict_at(1, 10, 11), CPUCYCLES_VERDICT_CANNOT_TELL);
	assert_int_equal(verdict_at(1, 10, 12), CPUCYCLES_VERDICT_SLOWER);
	/* The share of look 20 is 0.005 / 420, and 18 is the first number of blocks that it has. */
	assert_int_equal(verdict_at(20, 17, 17), CPUCYCLES_VERDICT_CANNOT_TELL);
	assert_int_equal(verdict_at(20, 18, 18), CPUCYCLES_VERDICT_SLOWER);
}

/* A run goes on until each of the other functions has its verdict. */
TEST(all_are_decided)
{
	static const struct {
		double second, third;
		bool decided;
	} table[] = {
		{ 1.1, 1.1, true }, { 0.9, 1.1, true }, { 1.1, 1, false },
		{ 1, 1.1, false },  { 1, 1, false },    { 0.9, 0.9, true },
	};

	for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
		make_run(table[i].second, table[i].third);
		run.look = 1;
		run.blocks = run.looked = 10;
		assert_int_equal(judge_is_decided(&run), table[i].decided);
	}
}

/* The second work's places differ by this part, to both sides of the first work. */
static void differ_by(double part)
{
	for (size_t block = 0; block < BLOCKS; block++) {
		blocks[1][0][block] *= 1 + part;
		blocks[1][1][block] /= 1 + part;
	}
}

/* Functions that are far from themselves get no verdict by what they differ in. */
TEST(the_floor_counts)
{
	struct cpucycles_verdict v;

	make_run(1.02, 1.02);
	run.blocks = BLOCKS;
	differ_by(0.01);
	v = verdict_of(1);
	assert_int_equal(v.verdict, CPUCYCLES_VERDICT_SLOWER);
	assert_true(fabs(v.floor - 0.01) < 1e-9);
	differ_by(0.02);
	v = verdict_of(1);
	assert_int_equal(v.verdict, CPUCYCLES_VERDICT_CANNOT_TELL);
	assert_true(v.low > 1 && v.floor > 0.02);
	assert_int_equal(v.samples_needed, 0);
	assert_int_equal(verdict_of(2).verdict, CPUCYCLES_VERDICT_SLOWER);
}

/* 10 blocks are needed, of so many rounds, with two samples of each function in a round. */
TEST(samples_that_are_needed)
{
	make_run(1.1, 1.1);
	run.blocks = 5;
	assert_int_equal(verdict_of(1).samples_needed, 10 * VERDICT_BLOCK * 2);
	run.block = 7;
	assert_int_equal(verdict_of(1).samples_needed, 10 * 7 * 2);
	run.blocks = 10;
	assert_int_equal(verdict_of(1).samples_needed, 0);
}

/* Warnings on a run that took a millisecond. */
static uint64_t rate_warning(double counts, double ns_error, double step_ns)
{
	const struct source source = { .units = 1, .hz = 1000000000 };
	const struct instrument instrument = { .resolution = 1, .resolution_ns = step_ns };
	struct judge_findings f;

	make_run(1, 1);
	run.rounds = SAMPLES / RUN_PLACES_MAX;
	run.watch = (struct watch){ .counts = counts, .ns = 1000000, .ns_error = ns_error };
	assert_int_equal(judge_find(&run, &source, &instrument, 0, &f), 0);
	return f.result.warnings & CPUCYCLES_WARNING_RATE;
}

/* 6 % off, of which 5 % are allowed. The clock's error and the counter's step may explain the
 * rest, one alone or both together. */
TEST(rates)
{
	assert_true(rate_warning(1060000, 0, 0));
	assert_true(rate_warning(1060000, 4000, 0));
	assert_true(rate_warning(1060000, 0, 4000));
	assert_true(rate_warning(1060000, 3000, 3000));
	assert_false(rate_warning(1060000, 15000, 0));
	assert_false(rate_warning(1060000, 0, 15000));
	assert_false(rate_warning(1060000, 7000, 7000));
	assert_true(rate_warning(940000, 4000, 0));
	assert_false(rate_warning(940000, 7000, 7000));
}

/* Figures in time, by the clock that was read around the run, or by the counter's rate. */
TEST(nanoseconds)
{
	struct source source = { .units = 1, .unit = CPUCYCLES_UNIT_TICKS };
	const struct instrument instrument = { .resolution = 4 };
	struct judge_findings f;

	make_run(1, 1);
	run.rounds = SAMPLES / RUN_PLACES_MAX;
	for (size_t i = 0; i < SAMPLES; i++)
		samples[i] = 300;
	run.watch = (struct watch){ .counts = 3000000, .ns = 1000000, .ns_error = 1000 };
	assert_int_equal(judge_find(&run, &source, &instrument, 0, &f), 0);
	assert_true(fabs(f.result.ns - 100) < 1e-9);
	/* Half a step, and a thousandth, of which the clock is not sure. */
	assert_true(fabs(f.result.ns_low - (100 - 2 / 3.0 - 0.1)) < 1e-9);
	assert_true(fabs(f.result.ns_high - (100 + 2 / 3.0 + 0.1)) < 1e-9);
	run.watch.ns_error = 500000;
	assert_int_equal(judge_find(&run, &source, &instrument, 0, &f), 0);
	assert_true(isnan(f.result.ns) && isnan(f.result.ns_low) && isnan(f.result.ns_high));
	source.hz = 1500000000;
	assert_int_equal(judge_find(&run, &source, &instrument, 0, &f), 0);
	assert_true(fabs(f.result.ns - 200) < 1e-9);
}

/* Of a loop, half of the time or more may be that of an empty function. */
TEST(loops)
{
	const struct source source = { .units = 1 };
	const struct instrument instrument = { .resolution = 1 };
	struct reason_text reason = { 0 };
	struct judge_findings f;

	make_run(1, 1);
	run.rounds = SAMPLES / RUN_PLACES_MAX;
	run.iterations = 640;
	for (size_t i = 0; i < SAMPLES; i++)
		samples[i] = 4;
	assert_int_equal(judge_find(&run, &source, &instrument, 0, &f), 0);
	assert_int_equal(judge_warning(&f, CPUCYCLES_WARNING_LOOP, &reason), -ENOENT);
	run.loop = 2.5;
	assert_int_equal(judge_find(&run, &source, &instrument, 0, &f), 0);
	assert_int_equal(judge_warning(&f, CPUCYCLES_WARNING_LOOP, &reason), 0);
	assert_non_null(strstr(reason.what, "640 calls it takes 4 cycles a call"));
	assert_non_null(strstr(reason.what, "2.5"));
}

/* The warnings on samples that all take so many ticks, with a step of 2. */
static void warn_of(double ticks, int unit, struct judge_warnings *list)
{
	const struct source source = { .units = 1, .unit = unit };
	const struct instrument instrument = { .resolution = 2 };
	struct judge_findings f;

	make_run(1, 1);
	run.rounds = SAMPLES / RUN_PLACES_MAX;
	for (size_t i = 0; i < SAMPLES; i++)
		samples[i] = ticks;
	*list = (struct judge_warnings){ 0 };
	assert_int_equal(judge_find(&run, &source, &instrument, 0, &f), 0);
	judge_warn(&f, list);
}

/* No sample takes less than nothing: then the overhead is wrong. Less than a step below 0 is within
 * what the counter shows. */
TEST(an_overhead_that_is_too_high)
{
	static const int units[] = { CPUCYCLES_UNIT_TICKS, CPUCYCLES_UNIT_CYCLES };
	struct judge_warnings list;

	for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
		warn_of(-167.4, units[i], &list);
		assert_int_equal(list.n, 1);
		assert_string_equal(list.list[0].name, "resolution");
		assert_string_equal(list.list[0].reason.what, "the overhead was measured too high");
		assert_string_equal(list.list[0].reason.remedy, "measure again");
	}
	for (double ticks = -1; ticks <= 1; ticks++) {
		warn_of(ticks, CPUCYCLES_UNIT_TICKS, &list);
		assert_int_equal(list.n, 1);
		assert_string_equal(list.list[0].reason.what,
				    "a sample takes less than a step of 2 ticks");
	}
	warn_of(6, CPUCYCLES_UNIT_TICKS, &list);
	assert_string_equal(list.list[0].reason.what, "a sample takes 3 steps of 2 ticks");
	warn_of(-1, CPUCYCLES_UNIT_CYCLES, &list);
	assert_int_equal(list.n, 0);
}

/* The sentences of all warnings on figures that are below 0, for those that have such a figure. */
TEST(no_figure_is_below_0)
{
	const struct source source = { .units = 1, .unit = CPUCYCLES_UNIT_TICKS, .hz = 1000 };
	const struct instrument instrument = { .resolution = 2 };
	struct judge_findings f = { .run = &run,
				    .source = &source,
				    .instrument = &instrument,
				    .rate = -1,
				    .steps = -0.5,
				    .halves = { -1, 3 },
				    .smallest = -1,
				    .largest = 3,
				    .result = { .median = -1 } };
	struct judge_warnings list = { 0 };

	make_run(1, 1);
	run.loop = 5;
	f.result.warnings = CPUCYCLES_WARNING_RATE | CPUCYCLES_WARNING_RESOLUTION |
			    CPUCYCLES_WARNING_HALVES | CPUCYCLES_WARNING_DRIFT |
			    CPUCYCLES_WARNING_LOOP;
	judge_warn(&f, &list);
	assert_int_equal(list.n, 5);
	for (size_t i = 0; i < list.n; i++) {
		print_message("%s\n", list.list[i].reason.what);
		assert_null(strchr(list.list[i].reason.what, '-'));
	}
	assert_non_null(strstr(list.list[2].reason.what, "differ: below 0 and 3 ticks per call"));
}

/* What is advised to a work that is too fast, on a machine that may have a finer counter, and on
 * one that has none. */
TEST(advice)
{
	const struct instrument instrument = { .resolution = 125 };
	struct source source = { .units = 1, .unit = CPUCYCLES_UNIT_TICKS };
	struct reason_text reason = { 0 };

	make_run(1, 1);
	run.iterations = 20;
	run.too_fast = 1;
	tracks[1].work.name = "tiny";
	tracks[1].pilot = 10;
	judge_too_fast(&run, &source, &instrument, &reason);
	assert_int_equal(reason.error, ERANGE);
	assert_string_equal(reason.what,
			    "tiny: too fast to measure: 20 calls take 200 ticks, and the step is "
			    "125 ticks; there is no time for more with the others");
	assert_non_null(strstr(reason.remedy, "cpucycles-info"));
	source.finest = true;
	judge_too_fast(&run, &source, &instrument, &reason);
	assert_string_equal(reason.remedy, "give the function more to do");
	run.single = true;
	run.iterations = 1;
	judge_too_fast(&run, &source, &instrument, &reason);
	assert_non_null(strstr(reason.what, "1 call takes 10 ticks"));
	assert_non_null(strstr(reason.what, "input is made anew"));
	tracks[1].pilot = -300;
	judge_too_fast(&run, &source, &instrument, &reason);
	assert_string_equal(reason.what, "tiny: the overhead was measured too high");
	assert_string_equal(reason.remedy, "measure again");
}

/* The time of a unit, from runs that took a millisecond each. */
static struct judge_time time_of(const struct source *source, struct watch watch, unsigned runs)
{
	const struct instrument instrument = { .resolution = 1, .resolution_ns = 10 };
	struct judge_time time = { 0 };

	make_run(1, 1);
	run.watch = watch;
	while (runs-- > 0)
		judge_add_time(&run, source, &instrument, &time);
	return time;
}

static double ns_of(const struct judge_time *time, int unit, uint64_t hz)
{
	double error;

	return judge_ns_per_unit(time, unit, hz, &error);
}

TEST(times)
{
	struct source source = { .unit = CPUCYCLES_UNIT_TICKS, .units = 2 };
	struct watch watch = { .counts = 1000000, .ns = 1000000, .ns_error = 100 };
	struct judge_time time = time_of(&source, watch, 3);

	assert_true(time.units == 6000000 && time.ns == 3000000 && time.ns_error == 330);
	assert_true(ns_of(&time, source.unit, 0) == 0.5);
	/* What was measured goes before what is stated. */
	assert_true(ns_of(&time, source.unit, 1000000000) == 0.5);
	/* More than a percent is not known: then the rate is taken, if there is one. */
	watch.ns_error = 10000;
	time = time_of(&source, watch, 1);
	assert_true(isnan(ns_of(&time, source.unit, 0)));
	assert_true(ns_of(&time, source.unit, 250000000) == 4);
	/* A clock has its time, also without any of this. */
	assert_true(ns_of(&time, CPUCYCLES_UNIT_NS, 0) == 1);
	/* A run that was cut off, or whose counter was lost, says nothing. */
	watch.ns = 0;
	assert_true(time_of(&source, watch, 1).units == 0);
	watch.ns = (double)NAN;
	assert_true(time_of(&source, watch, 1).units == 0);
	watch.ns = 1000000;
	watch.lost = true;
	time = time_of(&source, watch, 1);
	assert_true(isnan(ns_of(&time, source.unit, 0)));
}

/* The thread had the CPU for a quarter of the time. */
TEST(times_of_a_thread)
{
	struct source source = { .unit = CPUCYCLES_UNIT_CYCLES, .units = 1, .own_thread = true };
	struct watch watch = { .counts = 500000, .ns = 1000000, .before = 1.9e9, .after = 2.1e9 };
	struct judge_time time = time_of(&source, watch, 1);
	double error;

	/* The two frequencies are 5 % from their mean. */
	assert_true(fabs(time.units - 2000000) < 1 && fabs(time.ns_error - 50000) < 1);
	assert_true(fabs(judge_ns_per_unit(&time, source.unit, 0, &error) - 0.5) < 1e-9);
	assert_true(fabs(error - 0.05) < 1e-9);
	source.own_thread = false;
	time = time_of(&source, watch, 1);
	assert_true(ns_of(&time, source.unit, 0) == 2);
	source.own_thread = true;
	watch.after = 2.4e9;
	time = time_of(&source, watch, 1);
	assert_true(isnan(ns_of(&time, source.unit, 0)));
	watch.after = 0;
	time = time_of(&source, watch, 1);
	assert_true(ns_of(&time, source.unit, 0) == 2);
}

/* Warnings of several runs, each of which has one of its own. */
TEST(warnings_of_runs)
{
	const struct source source = { .units = 1, .unit = CPUCYCLES_UNIT_TICKS };
	const struct instrument instrument = { .resolution = 1 };
	struct judge_warnings list = { 0 };
	struct judge_findings f;

	make_run(1, 1);
	run.rounds = SAMPLES / RUN_PLACES_MAX;
	for (size_t i = 0; i < SAMPLES; i++)
		samples[i] = (double)(100 + i);
	for (unsigned moves = 1; moves <= 2; moves++) {
		run.watch = (struct watch){ .moves = moves, .from = 3, .to = 5 };
		run.watch.backwards = moves == 2;
		assert_int_equal(judge_find(&run, &source, &instrument, 0, &f), 0);
		judge_warn(&f, &list);
	}
	assert_true(f.result.min == 100 && f.result.median == 104.5 && f.result.samples == SAMPLES);
	assert_int_equal(list.n, 2);
	assert_string_equal(list.list[0].name, "moved");
	assert_int_equal(list.list[0].runs, 2);
	assert_string_equal(list.list[0].reason.what,
			    "changes of the CPU: 1, the first from CPU 3 to 5");
	assert_string_equal(list.list[0].reason.remedy, "stay on one CPU: taskset -c 5");
	assert_string_equal(list.list[1].name, "backwards");
	assert_int_equal(list.list[1].runs, 1);
}

/* A function is blamed for what most of its processes show, and never for its machine. */
TEST(warnings_that_count)
{
	struct judge_warnings list = {
		.n = 4,
		.list = { { .bit = CPUCYCLES_WARNING_CARRYOVER, .runs = 20 },
			  { .bit = CPUCYCLES_WARNING_MOVED, .runs = 40 },
			  { .bit = CPUCYCLES_WARNING_DRIFT, .runs = 29 },
			  { .bit = CPUCYCLES_WARNING_FREQUENCY, .runs = 1 } },
	};

	assert_int_equal(judge_counts(&list, 40, JUDGE_FUNCTION), 0);
	list.list[2].runs = 30;
	assert_int_equal(judge_counts(&list, 40, JUDGE_FUNCTION), 2);
	assert_int_equal(judge_counts(&list, 41, JUDGE_FUNCTION), 4);
	assert_int_equal(judge_counts(&list, 40, JUDGE_MACHINE), 4);
	assert_int_equal(judge_counts(&list, 2, JUDGE_MACHINE), 3);
	assert_int_equal(judge_counts(&list, 2, JUDGE_COUNTER), 4);
	/* Each warning has one rule: no other thing is blamed for it, too. */
	for (size_t w = 0; w < JUDGE_WARNINGS; w++) {
		list.n = 1;
		list.list[0].bit = UINT64_C(1) << w;
		list.list[0].runs = 40;
		assert_int_equal((judge_counts(&list, 40, JUDGE_FUNCTION) == 0) +
					 (judge_counts(&list, 40, JUDGE_MACHINE) == 0) +
					 (judge_counts(&list, 40, JUDGE_COUNTER) == 0),
				 list.list[0].bit != CPUCYCLES_WARNING_MOVED);
	}
}

UNIT_MAIN("judge", NULL, NULL)
