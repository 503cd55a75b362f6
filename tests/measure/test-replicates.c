/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "placement.h"
#include "simulate.h"
#include "replicates.h"
#include "statistics.h"

#define REPLICATES_MAX 400
#define ERROR 0.005

static double replicates[REPLICATES_MAX], scratch[REPLICATES_SCRATCH(REPLICATES_MAX)];

static struct verdict judge_within(size_t n, double error, double within)
{
	struct verdict verdict;

	memset(&verdict, 0xff, sizeof verdict);
	replicates_judge(replicates, n, error, within, scratch, &verdict);
	return verdict;
}

static struct verdict judge(size_t n, double error)
{
	return judge_within(n, error, 0);
}

static void expect_near(double got, double expected, const char *what)
{
	if (!(fabs(got - expected) < 1e-9))
		fail_msg("%s: %.12g, expected %.12g", what, got, expected);
}

/* 10 replicates of one sign are rare enough: 2 * 2^-10. With the interval go all means of two. */
TEST(known_verdicts)
{
	struct verdict verdict;

	for (size_t i = 0; i < 10; i++)
		replicates[i] = 0.01 * (double)(i + 1);
	verdict = judge(10, 0.0025);
	assert_int_equal(verdict.kind, VERDICT_SLOWER);
	expect_near(verdict.ratio, exp(0.055), "ratio");
	expect_near(verdict.low, exp(0.01), "low");
	expect_near(verdict.high, exp(0.10), "high");
	assert_int_equal(verdict.needed, 0);
	for (size_t i = 0; i < 10; i++)
		replicates[i] = -replicates[i];
	verdict = judge(10, 0.0025);
	assert_int_equal(verdict.kind, VERDICT_FASTER);
	expect_near(verdict.low, exp(-0.10), "low of the opposite");
	expect_near(verdict.high, exp(-0.01), "high of the opposite");
}

/* 9 replicates, a replicate of the other sign, and one that is 0. */
TEST(one_replicate_decides)
{
	for (size_t i = 0; i < 10; i++)
		replicates[i] = 0.01 * (double)(i + 1);
	assert_int_equal(judge(9, 0.0025).kind, VERDICT_CANNOT_TELL);
	assert_int_equal(judge(9, 0.0025).needed, 10);
	for (int other = 0; other < 2; other++) {
		replicates[0] = -0.001 * other;
		assert_int_equal(judge(10, 0.0025).kind, VERDICT_CANNOT_TELL);
	}
}

TEST(few_or_equal_replicates)
{
	for (size_t n = 0; n < 10; n++) {
		const struct verdict verdict = judge(n, 0.0025);

		assert_int_equal(verdict.kind, VERDICT_CANNOT_TELL);
		assert_true(verdict.low == 0 && isinf(verdict.high));
		assert_int_equal(verdict.needed, 10);
		assert_true(n > 0 || isnan(verdict.ratio));
	}
	memset(replicates, 0, sizeof replicates);
	assert_int_equal(judge(50, 0.0025).kind, VERDICT_CANNOT_TELL);
	assert_true(judge(50, 0.0025).ratio == 1);
	assert_int_equal(judge(50, 0.0025).needed, 0);
	assert_int_equal(judge(3, 0).needed, VERDICT_BLOCKS_MAX);
	for (size_t i = 0; i < 50; i++)
		replicates[i] = 1e-12 + 500 * ((double)(i % 3) - 1);
	assert_int_equal(judge(50, 0.0025).needed, VERDICT_BLOCKS_MAX);
}

/* Means of four. The last three processes are no replicate, nor is one with a value that is none.
 */
TEST(values_of_replicates)
{
	double processes[15], values[4];

	for (size_t i = 0; i < 15; i++)
		processes[i] = 0.01 * (double)(i * i);
	assert_int_equal(replicates_values(processes, 15, 4, values), 3);
	expect_near(values[0], 0.035, "0, 1, 4 and 9");
	expect_near(values[1], 0.315, "16, 25, 36 and 49");
	expect_near(values[2], 0.915, "64, 81, 100 and 121");
	assert_int_equal(replicates_values(processes, 3, 4, values), 0);
	assert_int_equal(replicates_values(processes, 0, 4, values), 0);
	for (int i = 0; i < 3; i++) {
		processes[5] = i == 0 ? (double)NAN : i == 1 ? INFINITY : -INFINITY;
		assert_int_equal(replicates_values(processes, 15, 4, values), 2);
		expect_near(values[1], 0.915, "the third replicate moves up");
	}
	processes[6] = INFINITY; /* its sum with the one before is no number */
	assert_int_equal(replicates_values(processes, 15, 4, values), 2);
	assert_int_equal(replicates_values(processes + 3, 4, 1, values), 2);
	assert_true(values[0] == processes[3] && values[1] == processes[4]);
}

/* The interval of 10 replicates are the outer ones. */
TEST(same_within)
{
	struct verdict verdict;

	for (size_t i = 0; i < 10; i++)
		replicates[i] = 0.001 * (double)i - 0.004;
	verdict = judge_within(10, 0.0025, 0.01);
	assert_int_equal(verdict.kind, VERDICT_SAME);
	assert_true(verdict.inside);
	assert_int_equal(verdict.needed, 0);
	expect_near(verdict.low, exp(-0.004), "low");
	expect_near(verdict.high, exp(0.005), "high");
	assert_int_equal(judge(10, 0.0025).kind, VERDICT_CANNOT_TELL);
	assert_false(judge(10, 0.0025).inside);
	/* One end lies outside, or on the border: 1.005 and 1 / 1.005 are as far from 1. */
	assert_int_equal(judge_within(10, 0.0025, 0.0045).kind, VERDICT_CANNOT_TELL);
	replicates[9] = log1p(0.005);
	assert_int_equal(judge_within(10, 0.0025, 0.005).kind, VERDICT_CANNOT_TELL);
	assert_int_equal(judge_within(10, 0.0025, 0.0051).kind, VERDICT_SAME);
	for (size_t i = 0; i < 10; i++)
		replicates[i] = -replicates[i];
	assert_int_equal(judge_within(10, 0.0025, 0.005).kind, VERDICT_CANNOT_TELL);
	assert_int_equal(judge_within(10, 0.0025, 0.0051).kind, VERDICT_SAME);
	/* 9 replicates have no interval. */
	assert_int_equal(judge_within(9, 0.0025, 1).kind, VERDICT_CANNOT_TELL);
	assert_false(judge_within(9, 0.0025, 1).inside);
	assert_int_equal(judge_within(9, 0.0025, 1).needed, 10);
	memset(replicates, 0, sizeof replicates);
	assert_int_equal(judge_within(10, 0.0025, 0.0001).kind, VERDICT_SAME);
}

/* A difference that is shown goes before the part within which it lies. */
TEST(slower_by_less)
{
	for (size_t i = 0; i < 10; i++)
		replicates[i] = 0.0001 * (double)(i + 1);
	for (int sign = 0; sign < 2; sign++) {
		const struct verdict less = judge_within(10, 0.0025, 0.01);
		const struct verdict more = judge_within(10, 0.0025, 0.0005);

		assert_int_equal(less.kind, sign ? VERDICT_FASTER : VERDICT_SLOWER);
		assert_true(less.inside);
		assert_int_equal(more.kind, less.kind);
		assert_false(more.inside);
		for (size_t i = 0; i < 10; i++)
			replicates[i] = -replicates[i];
	}
}

/* 40 replicates about this value, so far apart that none is seen to differ from 0 in them. */
static struct verdict judge_scattered(double middle, double part, double within)
{
	for (size_t i = 0; i < 40; i++)
		replicates[i] = middle + part * ((double)(i % 5) - 2);
	return judge_within(40, 0.0025, within);
}

/* An x87 register has more digits than a double. */
static void expect_size(double is, double expected)
{
	assert_true(fabs(is - expected) < 1e-9);
}

/* Where the replicates show no difference, the size that more of them would tell does not depend on
 * what they happen to show. */
TEST(advice_without_a_difference)
{
	static const double middles[] = { 0, 0.0001, 0.001, -0.001 };
	const size_t needed = judge_scattered(0, 0.02, 0).needed;

	for (size_t i = 0; i < sizeof middles / sizeof middles[0]; i++) {
		const struct verdict verdict = judge_scattered(middles[i], 0.02, 0);

		assert_int_equal(verdict.kind, VERDICT_CANNOT_TELL);
		expect_size(verdict.difference, 0.01);
		unit_in_range(verdict.needed, needed - needed / 20, needed + needed / 20);
	}
	/* What 40 replicates have told is not what more are needed for. */
	expect_size(judge_scattered(0, 0.005, 0).difference, 0.002);
	expect_size(judge_scattered(0, 0.0002, 0).difference, 0.0001);
	unit_in_range(judge_scattered(0, 0.0002, 0).needed, 41, 400);
	/* One of a given size takes fewer replicates if that is larger. */
	expect_size(judge_scattered(0.001, 0.02, 0.01).difference, 0.01);
	unit_in_range(judge_scattered(0.001, 0.02, 0.01).needed, needed * 9 / 5, needed * 9 / 4);
	assert_true(judge_scattered(0.001, 0.02, 0.01).needed > 40);
	assert_true(judge_scattered(0.001, 0.02, 0.01).needed * 3 <
		    judge_scattered(0.001, 0.02, 0.005).needed);
}

/* A difference that is seen tells how many replicates it takes, unless it is smaller than the part
 * within which functions are the same. */
TEST(advice_on_a_difference)
{
	const struct verdict seen = judge_scattered(0.0105, 0.015, 0);

	assert_int_equal(seen.kind, VERDICT_CANNOT_TELL);
	expect_size(seen.difference, seen.ratio - 1);
	unit_in_range(seen.needed, 41, 400);
	assert_int_equal(judge_scattered(0.0105, 0.015, 0.005).needed, seen.needed);
	expect_size(judge_scattered(-0.0105, 0.015, 0.005).difference,
		    1 / judge_scattered(-0.0105, 0.015, 0.005).ratio - 1);
	expect_size(judge_scattered(0.0105, 0.015, 0.02).difference, 0.02);
	assert_true(judge_scattered(0.0105, 0.015, 0.02).needed < seen.needed);
}

/* If most values are the same, an interval of a larger error has no width. */
TEST(needed_of_equal_values)
{
	for (size_t i = 0; i < 30; i++)
		replicates[i] = i % 10 == 0 ? 1 : i % 10 == 1 ? -1 : 0.001;
	assert_int_equal(judge(30, 0.0004).kind, VERDICT_CANNOT_TELL);
	assert_true(judge(30, 0.0004).needed > 1000);
}

TEST(placement_of_processes)
{
	double processes[] = { 0.05, 0.01, -0.02, (double)NAN, 0.02, 9, INFINITY, 0.04 };
	double room[N(processes)];

	/* The median of 6 is 0.03, and the distances are 0.01, 0.01, 0.02, 0.02, 0.05 and 8.97. */
	expect_near(replicates_placement(processes, N(processes), room), expm1(0.02), "of 6");
	expect_near(replicates_placement(processes, 2, room), expm1(0.02), "of 2");
	assert_true(isnan(replicates_placement(processes, 1, room)));
	assert_true(isnan(replicates_placement(processes + 3, 1, room)));
	assert_true(isnan(replicates_placement(processes, 0, room)));
	expect_near(replicates_placement(processes, N(processes), processes), expm1(0.02),
		    "in place");
}

static double normal(size_t i)
{
	(void)i;
	return 0.01 * simulate_normal();
}

static double heavy(size_t i)
{
	(void)i;
	return 0.01 * simulate_cauchy();
}

/* A memory that lies well or badly in one process of five, for one of the functions. */
static double bimodal(size_t i)
{
	const double side = simulate_part();

	(void)i;
	return (side < 0.1 ? 0.05 : side < 0.2 ? -0.05 : 0) + 0.001 * simulate_normal();
}

/* Coarse counts: most processes see no difference. */
static double quantised(size_t i)
{
	(void)i;
	return 0.01 * floor(simulate_normal() + 0.5);
}

static const struct simulate_series series[] = { { "normal", normal },
						 { "heavy-tailed", heavy },
						 { "bimodal", bimodal },
						 { "quantised", quantised } };

/* Look as the tool does, and stop at the first verdict. 0: there is none. Else at how many
 * replicates.
 */
static size_t told_at(double (*draw)(size_t i), double shift, double error, unsigned looks,
		      struct verdict *verdict)
{
	size_t n = 0;

	for (unsigned look = 1; look <= looks; look++) {
		for (; n < verdict_due(error, look); n++)
			replicates[n] = shift + draw(n);
		*verdict = judge(n, verdict_share(error, look));
		if (verdict->kind != VERDICT_CANNOT_TELL)
			return n;
	}
	return 0;
}

/* An emulator of floating point takes a hundred times as long. */
#define COMPARISONS (unit_is_slow() ? (size_t)40 : 1000)
#define LOOKS 5

/* The promise, over all looks. The larger error shows more of the tail, and is held from below,
 * too, so that this test sees verdicts. */
TEST(equal_functions)
{
	for (size_t s = 0; s < N(series); s++) {
		size_t wrong = 0, often = 0;
		char what[64];

		for (size_t i = 0; i < COMPARISONS; i++) {
			struct verdict verdict;

			wrong += told_at(series[s].draw, 0, ERROR, LOOKS, &verdict) > 0;
			often += told_at(series[s].draw, 0, 0.2, LOOKS, &verdict) > 0;
		}
		snprintf(what, sizeof what, "%s: wrong verdicts", series[s].name);
		simulate_at_most(wrong, COMPARISONS, ERROR, what);
		snprintf(what, sizeof what, "%s: wrong at an error of 0.2", series[s].name);
		simulate_at_most(often, COMPARISONS, 0.2, what);
		if (series[s].draw != quantised)
			simulate_at_least(often, COMPARISONS, 0.05, what);
	}
}

/*
 * Copies of one function, in processes that are linked anew. The logarithm of the time of one that
 * begins at `start`, in bytes: each series is skewed, and the same for both copies.
 */

/* Most times are near the shortest. */
static double skewed_time(size_t start)
{
	return 0.002 * (double)(start % PLACEMENT_LINE) - 0.05 * log(simulate_part());
}

static double heavy_time(size_t start)
{
	return 0.002 * (double)(start % PLACEMENT_LINE) + 0.01 * fabs(simulate_cauchy());
}

/* In one of four lines, the same code takes 20 % longer. */
static double bimodal_time(size_t start)
{
	return (start / PLACEMENT_LINE % 4 == 0 ? log(1.2) : 0) + 0.001 * simulate_normal();
}

/* Which is named first matters, and more so from process to process. */
static double drift_of(size_t process, bool reversed)
{
	return (reversed ? 0.0003 : -0.0003) * (double)process;
}

static const struct {
	const char *name;
	double (*time)(size_t start);
	bool drifts;
} layouts[] = { { "skewed", skewed_time, false },
		{ "heavy-tailed", heavy_time, false },
		{ "two layouts that differ by 20 %", bimodal_time, false },
		{ "skewed, with a drift", skewed_time, true } };

/* The values of n replicates, of functions that differ by `shift`. */
static void lay_out(size_t kind, size_t n, double shift)
{
	static double processes[PLACEMENT_PROCESSES * REPLICATES_MAX];
	const uint64_t seed = unit_random();
	size_t starts[2], gaps[2], order[2];
	struct placement placement = { .starts = starts, .gaps = gaps, .order = order };

	for (size_t p = 0; p < PLACEMENT_PROCESSES * n; p++) {
		placement_draw(seed, p, (const size_t[]){ 16, 16 }, 2, &placement);
		processes[p] =
			shift + layouts[kind].time(starts[1]) - layouts[kind].time(starts[0]);
		if (layouts[kind].drifts)
			processes[p] += drift_of(p, placement.reversed);
	}
	assert_int_equal(replicates_values(processes, PLACEMENT_PROCESSES * n, PLACEMENT_PROCESSES,
					   replicates),
			 n);
}

/* What the replicates say at the first look that says anything. */
static enum verdict_kind verdict_of_looks(double error, double within)
{
	for (unsigned look = 1; look <= LOOKS; look++) {
		const struct verdict verdict =
			judge_within(verdict_due(error, look), verdict_share(error, look), within);

		if (verdict.kind != VERDICT_CANNOT_TELL)
			return verdict.kind;
	}
	return VERDICT_CANNOT_TELL;
}

static bool is_wrong(double error)
{
	const enum verdict_kind kind = verdict_of_looks(error, 0.0001);

	return kind == VERDICT_FASTER || kind == VERDICT_SLOWER;
}

/* The promise again, for copies of a function whose times are not symmetric at all. */
TEST(copies_in_layouts)
{
	for (size_t kind = 0; kind < N(layouts); kind++) {
		size_t wrong = 0, often = 0;
		char what[96];

		for (size_t i = 0; i < COMPARISONS; i++) {
			lay_out(kind, verdict_due(ERROR, LOOKS), 0);
			wrong += is_wrong(ERROR);
			often += is_wrong(0.2);
		}
		snprintf(what, sizeof what, "%s: wrong verdicts", layouts[kind].name);
		simulate_at_most(wrong, COMPARISONS, ERROR, what);
		snprintf(what, sizeof what, "%s: wrong at an error of 0.2", layouts[kind].name);
		simulate_at_most(often, COMPARISONS, 0.2, what);
		simulate_at_least(often, COMPARISONS, 0.05, what);
	}
}

/* The figures of a table, from functions of which the second lies in a good place or in a bad one:
 * half of the processes take 250, and half 400, where the first function takes 1000. */
TEST(figures_in_two_modes)
{
	enum { COUNT = PLACEMENT_PROCESSES * 20 };
	size_t outside = 0, medians = 0;

	for (size_t i = 0; i < COMPARISONS / 4; i++) {
		double figures[2][COUNT], log_ratios[COUNT], sorted[COUNT], centre[2], low, high;
		struct verdict verdict;

		for (size_t p = 0; p < COUNT; p++) {
			figures[0][p] = 1000 * exp(0.002 * simulate_normal());
			figures[1][p] = (simulate_part() < 0.5 ? 250 : 400) *
					exp(0.002 * simulate_normal());
			log_ratios[p] = log(figures[1][p] / figures[0][p]);
		}
		replicates_values(log_ratios, COUNT, PLACEMENT_PROCESSES, replicates);
		verdict = judge(COUNT / PLACEMENT_PROCESSES, 0.05);
		memcpy(sorted, figures[1], sizeof sorted);
		medians += !(statistics_median(sorted, COUNT) / 1000 >= verdict.low &&
			     statistics_median(sorted, COUNT) / 1000 <= verdict.high);
		for (size_t f = 0; f < 2; f++)
			assert_true(replicates_centre(figures[f], COUNT, PLACEMENT_PROCESSES,
						      scratch, &centre[f], &low, &high));
		outside += !(centre[1] / centre[0] >= verdict.low &&
			     centre[1] / centre[0] <= verdict.high);
		assert_true(low < centre[1] && centre[1] < high);
	}
	assert_int_equal(outside, 0);
	simulate_at_least(medians, COMPARISONS / 4, 0.5, "medians outside of the interval");
}

TEST(centre_of_figures)
{
	double figures[20], centre, low, high;

	for (size_t p = 0; p < 20; p++)
		figures[p] = exp(0.01 * (double)(p / 2 + 1));
	assert_true(replicates_centre(figures, 20, 2, scratch, &centre, &low, &high));
	expect_near(centre, exp(0.055), "centre");
	assert_true(low > exp(0.01) && low < exp(0.055) && high > exp(0.055) && high < exp(0.1));
	/* Half of the replicates, or too few, or a figure of 0. */
	for (size_t missing = 0; missing < 4; missing++) {
		const size_t n = missing < 2 ? 24 : 12;
		double some[24];

		for (size_t p = 0; p < n; p++)
			some[p] = p < 2 * missing ? (double)NAN : 100;
		if (missing == 0)
			some[0] = 0;
		assert_int_equal(replicates_centre(some, n, 2, scratch, &centre, &low, &high),
				 missing == 1);
	}
	for (size_t p = 0; p < 20; p++)
		figures[p] = p < 11 ? (double)NAN : 100;
	assert_false(replicates_centre(figures, 20, 1, scratch, &centre, &low, &high));
}

/* "Same within 1 %" is said of functions that are, and not of those that differ by as much. */
TEST(same_in_layouts)
{
	const double within = 0.01, error = 0.2;
	size_t same = 0, wrong = 0, often = 0;

	for (size_t i = 0; i < COMPARISONS; i++) {
		for (size_t replicate = 0; replicate < verdict_due(ERROR, LOOKS); replicate++)
			replicates[replicate] = 0.001 + 0.005 * simulate_normal();
		same += judge_within(49, verdict_share(ERROR, LOOKS), within).inside;
		for (size_t replicate = 0; replicate < verdict_due(ERROR, LOOKS); replicate++)
			replicates[replicate] =
				(i % 2 ? 1 : -1) * log1p(within) + 0.002 * simulate_normal();
		wrong += judge_within(10, verdict_share(ERROR, 1), within).inside;
		often += judge_within(10, error, within).inside;
	}
	simulate_at_least(same, COMPARISONS, 0.95, "0.1 % is inside of 1 %");
	simulate_at_most(wrong, COMPARISONS, verdict_share(ERROR, 1), "1 % is not inside of 1 %");
	simulate_at_most(often, COMPARISONS, error / 2, "inside, at an error of 0.2");
	simulate_at_least(often, COMPARISONS, error / 4, "inside, at an error of 0.2");
}

/* For symmetric values, the interval of one look leaves the true value out as often as promised,
 * and not much less often. */
TEST(coverage)
{
	const double error = 0.05, shift = 0.3;

	for (size_t s = 0; s < N(series); s++) {
		size_t missed = 0;
		char what[64];

		for (size_t i = 0; i < COMPARISONS; i++) {
			struct verdict verdict;

			for (size_t replicate = 0; replicate < 22; replicate++)
				replicates[replicate] = shift + series[s].draw(replicate);
			verdict = judge(22, error);
			/* The ends of a quantised interval are often the true value, rounded. */
			missed += shift < log(verdict.low) - 1e-12 ||
				  log(verdict.high) + 1e-12 < shift;
		}
		snprintf(what, sizeof what, "%s: the interval leaves it out", series[s].name);
		simulate_at_most(missed, COMPARISONS, error, what);
		if (series[s].draw != quantised)
			simulate_at_least(missed, COMPARISONS, error / 2, what);
	}
}

static double steady(size_t i)
{
	(void)i;
	return 0.001 * simulate_normal();
}

/* Differences are told, to both sides, and the true one lies in the interval. */
TEST(differences_are_told)
{
	size_t right = 0, covered = 0, replicates_in_all = 0;
	const size_t n = COMPARISONS / 4;

	for (size_t i = 0; i < n; i++) {
		const double shift = i % 2 ? 0.0025 : -0.0025;
		struct verdict verdict;

		replicates_in_all += told_at(steady, shift, ERROR, LOOKS, &verdict);
		right += verdict.kind == (shift > 0 ? VERDICT_SLOWER : VERDICT_FASTER);
		covered += log(verdict.low) <= shift && shift <= log(verdict.high);
	}
	printf("# told at %.1f replicates in the mean\n", (double)replicates_in_all / (double)n);
	simulate_at_least(right, n, 0.99, "0.25 % told beside a spread of 0.1 %");
	simulate_at_least(covered, n, 0.99, "the interval has the true ratio");
}

/* What is asked for is enough within a factor of 4, and an eighth of it is too little. */
TEST(replicates_that_are_needed)
{
	size_t enough = 0, too_many = 0, tries = 0;

	while (tries < 40) {
		struct verdict verdict;
		size_t needed;

		for (size_t i = 0; i < 22; i++)
			replicates[i] = 0.0005 + steady(i);
		verdict = judge(22, 0.0004);
		needed = verdict.needed;
		if (verdict.kind != VERDICT_CANNOT_TELL || needed > REPLICATES_MAX / 4)
			continue;
		tries++;
		assert_true(needed > 22);
		for (size_t i = 0; i < 4 * needed; i++)
			replicates[i] = 0.0005 + steady(i);
		enough += judge(4 * needed, 0.0004).kind == VERDICT_SLOWER;
		too_many += judge(needed / 8, 0.0004).kind == VERDICT_SLOWER;
	}
	printf("# of 40: %zu are told by 4 times the replicates, %zu by an eighth\n", enough,
	       too_many);
	assert_true(enough >= 20);
	assert_true(too_many <= 10);
}

/* At how many replicates the looks from this one on tell. */
static size_t told_from(unsigned look, double shift, double within)
{
	size_t n = verdict_due(ERROR, look - 1);

	for (; verdict_due(ERROR, look) <= REPLICATES_MAX; look++) {
		for (; n < verdict_due(ERROR, look); n++)
			replicates[n] = shift + normal(n);
		if (judge_within(n, verdict_share(ERROR, look), within).kind != VERDICT_CANNOT_TELL)
			return n;
	}
	return SIZE_MAX;
}

/* Advice by ten replicates. noise: of the replicates' values, relative to those of normal(). */
static struct verdict advice_at(double shift, double noise, double within)
{
	struct verdict verdict;

	do {
		for (size_t i = 0; i < 10; i++)
			replicates[i] = shift + noise * normal(i);
		verdict = judge_within(10, verdict_share(ERROR, 1), within);
	} while (verdict.kind != VERDICT_CANNOT_TELL);
	return verdict;
}

/* How many replicates it takes until a part is told, or until functions are the same within it, is
 * foretold by ten of them within a factor of 2, mostly. Whatever the difference is that they have:
 * the advice is on another one. */
TEST(advice_within)
{
	static const double shifts[] = { 0, 0.003, 0.006, 0.01 };
	const size_t n = unit_is_slow() ? 20 : 200;

	for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++) {
		size_t right = 0, tries = 0;

		while (tries < n) {
			const struct verdict advice = advice_at(shifts[s], 1, 0.01);
			const size_t told = told_from(2, 0, 0.01), needed = advice.needed;

			if (advice.difference > 0.01 + 1e-9)
				continue;
			tries++;
			right += told <= 2 * needed && needed <= 2 * told;
		}
		simulate_at_least(right, n, 0.75, "advice that is right within a factor of 2");
	}
}

/* Where ten replicates differ by so much that twenty times as many would not tell, the advice is
 * seldom less than ten times as many. */
TEST(advice_in_noise)
{
	const size_t n = 300;

	for (int within = 0; within < 2; within++) {
		size_t wrong = 0;

		for (size_t tries = 0; tries < n; tries++)
			wrong += advice_at(0, 4, within ? 0.01 : 0).needed < 100;
		simulate_at_most(wrong, n, 0.1, "advice of too few replicates in noise of 4 %");
	}
}

UNIT_MAIN_OF_SEED(SIMULATE_SEED, "replicates", NULL, NULL)
