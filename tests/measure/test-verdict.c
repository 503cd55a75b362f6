/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "simulate.h"
#include "statistics.h"
#include "verdict.h"

#define BLOCKS_MAX 7000
#define ERROR 0.005

/* By place. */
static double first[2][BLOCKS_MAX], work[2][BLOCKS_MAX], scratch[BLOCKS_MAX];

static struct verdict judge(size_t n, double error)
{
	struct verdict verdict;

	memset(&verdict, 0xff, sizeof verdict);
	verdict_judge((const double *const[]){ first[0], first[1] },
		      (const double *const[]){ work[0], work[1] }, n, error, scratch, &verdict);
	return verdict;
}

static void expect_near(double got, double expected, const char *what)
{
	if (!(fabs(got - expected) < 1e-9))
		fail_msg("%s: %.12g, expected %.12g", what, got, expected);
}

/* The sum of 1 / (j (j + 1)) is 1. */
TEST(looks_share_the_error)
{
	double sum = 0;

	expect_near(verdict_share(0.006, 1), 0.003, "first look");
	expect_near(verdict_share(0.006, 2), 0.001, "second look");
	expect_near(verdict_share(0.006, 0), 0, "no look");
	for (unsigned look = 1; look <= 100000; look++)
		sum += verdict_share(ERROR, look);
	assert_true(sum < ERROR && sum > ERROR * 0.9999);
}

/* 2 * 2^-10 is the first that is at most 0.0025. */
TEST(looks_are_due)
{
	static const size_t due[] = { 10, 15, 22, 33, 49, 73, 109, 163, 244, 366 };

	for (unsigned i = 0; i < N(due); i++)
		assert_int_equal(verdict_due(ERROR, i + 1), due[i]);
	for (unsigned look = 1; look < 200; look++)
		assert_true(verdict_due(ERROR, look) < verdict_due(ERROR, look + 1) ||
			    verdict_due(ERROR, look + 1) == SIZE_MAX);
	assert_int_equal(verdict_due(ERROR, 1000), SIZE_MAX);
	assert_int_equal(verdict_due(0, 1), SIZE_MAX);
	assert_int_equal(verdict_due(-1, 1), SIZE_MAX);
	assert_int_equal(verdict_due((double)NAN, 1), SIZE_MAX);
	assert_int_equal(verdict_due(1, 1), 2);
}

/* Each look that is due has an interval: all blocks on one side give a verdict. */
TEST(each_look_can_tell)
{
	for (size_t i = 0; i < BLOCKS_MAX; i++) {
		first[0][i] = first[1][i] = 1;
		work[0][i] = work[1][i] = 0.5;
	}
	for (unsigned look = 1; verdict_due(ERROR, look) <= BLOCKS_MAX; look++)
		assert_int_equal(judge(verdict_due(ERROR, look), verdict_share(ERROR, look)).kind,
				 VERDICT_FASTER);
}

/* Ratios of 1.01 to 1.10, and no difference between the places. */
static void fill_known(size_t n)
{
	for (size_t i = 0; i < n; i++) {
		first[0][i] = first[1][i] = 100 * (double)(i + 1);
		work[0][i] = work[1][i] = first[0][i] * (1.01 + 0.01 * (double)i);
	}
}

TEST(known_verdicts)
{
	struct verdict verdict;

	fill_known(10);
	verdict = judge(10, 0.0025);
	assert_int_equal(verdict.kind, VERDICT_SLOWER);
	expect_near(verdict.ratio, sqrt(1.05 * 1.06), "ratio");
	expect_near(verdict.low, 1.01, "low");
	expect_near(verdict.high, 1.10, "high");
	expect_near(verdict.floor, 0, "floor");
	for (size_t i = 0; i < 10; i++) {
		const double exchanged = first[0][i];

		first[0][i] = first[1][i] = work[0][i];
		work[0][i] = work[1][i] = exchanged;
	}
	verdict = judge(10, 0.0025);
	assert_int_equal(verdict.kind, VERDICT_FASTER);
	expect_near(verdict.low, 1 / 1.10, "low of the opposite");
	expect_near(verdict.high, 1 / 1.01, "high of the opposite");
}

/* 10 coins of one side are rare enough, 9 are not: neither 9 blocks, nor a tie or another side. */
TEST(one_block_decides)
{
	static const double others[] = { 100, 99 };

	fill_known(10);
	assert_int_equal(judge(9, 0.0025).kind, VERDICT_CANNOT_TELL);
	assert_int_equal(judge(9, 0.0025).needed, 10);
	for (size_t i = 0; i < N(others); i++) {
		work[0][0] = work[1][0] = others[i];
		assert_int_equal(judge(10, 0.0025).kind, VERDICT_CANNOT_TELL);
	}
}

/* Both places count the same: in the logarithm, the mean of 1.02 and 1.04 by that of 1 and 1.01. */
TEST(both_places_count)
{
	for (size_t i = 0; i < 10; i++) {
		first[0][i] = 100;
		first[1][i] = 101;
		work[0][i] = 102;
		work[1][i] = 104;
	}
	expect_near(judge(10, 0.0025).ratio, sqrt(1.02 * 1.04 / 1.01), "ratio");
}

/* The second place of block i by the first. Both works differ by it, or one by its square. */
static void differ(size_t i, double by, bool alone)
{
	first[1][i] = first[0][i] * (alone ? by * by : by);
	work[1][i] = work[0][i] * (alone ? 1 : by);
}

/* The interval of 95 % leaves out the outermost of 10 blocks on each side. The floor is half of
 * what both works' places differ by, however much of that each has. */
TEST(the_floor_is_of_the_places)
{
	struct verdict verdict;

	fill_known(10);
	for (size_t i = 0; i < 10; i++)
		differ(i, i == 0 ? 3 : 1 + 0.001 * (double)i, false);
	verdict = judge(10, 0.0025);
	expect_near(verdict.floor, 0.009, "floor");
	expect_near(verdict.ratio, sqrt(1.05 * 1.06), "ratio");
	assert_int_equal(verdict.kind, VERDICT_SLOWER);
	for (size_t i = 0; i < 10; i++)
		differ(i, i == 0 ? 1.0 / 3 : 1 / (1 + 0.002 * (double)i), false);
	verdict = judge(10, 0.0025);
	expect_near(verdict.floor, 0.018, "floor on the other side");
	assert_int_equal(verdict.kind, VERDICT_CANNOT_TELL);
	for (size_t i = 0; i < 10; i++) {
		differ(i, 1 + 0.002 * (double)i, true);
		work[0][i] = first[0][i];
		work[1][i] = first[1][i] / pow(1 + 0.002 * (double)i, 2);
	}
	expect_near(judge(10, 0.0025).floor, 0.016, "floor of the first alone");
}

static bool carries_over(size_t n, double *ratio)
{
	return verdict_carryover((const double *const[]){ first[0], first[1] }, n, scratch, ratio);
}

/* More than 1 % to either side, and in 21 blocks of 21: 2^-20 is one in a million. */
TEST(carryover)
{
	static const double parts[] = { 1.011, 1 / 1.011, 1.009, 1 / 1.009 };
	double ratio;

	for (size_t p = 0; p < N(parts); p++) {
		fill_known(21);
		for (size_t i = 0; i < 21; i++)
			differ(i, parts[p], false);
		assert_int_equal(carries_over(21, &ratio), p < 2);
		expect_near(ratio, parts[p], "the second place by the first");
		assert_false(carries_over(20, &ratio));
		first[1][7] = first[0][7];
		assert_false(carries_over(21, &ratio));
	}
	assert_false(carries_over(0, &ratio));
}

/* What is no positive, finite number never makes a verdict, and the figures say what is known. */
TEST(hostile_values)
{
	static const double bad[] = { 0, -1, -0.0, NAN, INFINITY, -INFINITY };

	for (size_t b = 0; b < N(bad); b++) {
		double *const arrays[] = { first[0], first[1], work[0], work[1] };

		for (size_t a = 0; a < N(arrays); a++) {
			struct verdict verdict;

			fill_known(10);
			arrays[a][3] = bad[b];
			verdict = judge(10, 0.0025);
			assert_int_equal(verdict.kind, VERDICT_CANNOT_TELL);
			assert_true(verdict.low == 0 && isinf(verdict.high));
			for (size_t i = 0; i < 300; i++)
				arrays[a][i] = bad[b];
			verdict = judge(300, 0.0025);
			assert_int_equal(verdict.kind, VERDICT_CANNOT_TELL);
			assert_int_equal(verdict.needed, 0);
			assert_true(isnan(verdict.ratio));
		}
	}
	/* Few bad ones among many leave a verdict. */
	fill_known(200);
	work[0][7] = first[0][9] = first[1][30] = work[1][31] = (double)NAN;
	assert_int_equal(judge(200, 0.0025).kind, VERDICT_SLOWER);
}

TEST(few_or_equal_blocks)
{
	for (size_t n = 0; n < 10; n++) {
		struct verdict verdict;

		fill_known(10);
		verdict = judge(n, 0.0025);
		assert_int_equal(verdict.kind, VERDICT_CANNOT_TELL);
		assert_int_equal(verdict.needed, 10);
		assert_true(n == 0 ? isnan(verdict.ratio) : verdict.ratio > 1);
		assert_true(verdict.low == 0 && isinf(verdict.high));
	}
	for (size_t i = 0; i < 1000; i++)
		first[0][i] = first[1][i] = work[0][i] = work[1][i] = 42;
	assert_int_equal(judge(1000, 0.0025).kind, VERDICT_CANNOT_TELL);
	assert_int_equal(judge(1000, 0.0025).needed, 0);
	assert_true(judge(1000, 0.0025).ratio == 1);
}

/* Any bits at all. */
TEST(random_bits)
{
	for (int try = 0; try < 2000; try++) {
		const size_t n = (size_t)(unit_random() % 60);
		const double error = simulate_part();
		struct verdict verdict;

		for (size_t i = 0; i < n; i++) {
			double *const values[] = { &first[0][i], &first[1][i], &work[0][i],
						   &work[1][i] };

			for (size_t v = 0; v < N(values); v++) {
				const uint64_t bits = unit_random();

				memcpy(values[v], &bits, sizeof bits);
			}
		}
		verdict = judge(n, error);
		assert_true(verdict.low <= verdict.high && verdict.floor >= 0);
		assert_true(isnan(verdict.ratio) ||
			    (verdict.low <= verdict.ratio && verdict.ratio <= verdict.high));
		assert_true(verdict.kind != VERDICT_FASTER || verdict.high < 1);
		assert_true(verdict.kind != VERDICT_SLOWER || verdict.low > 1);
	}
}

/* The time of call number i of a run. State that lasts from call to call is here. */
static double level;

static double normal(size_t i)
{
	(void)i;
	return 1200 * (1 + 0.02 * simulate_normal());
}

static double heavy(size_t i)
{
	(void)i;
	return 1200 + (simulate_part() < 0.2 ? fabs(simulate_cauchy()) * 500 : simulate_part());
}

static double bimodal(size_t i)
{
	(void)i;
	return (simulate_part() < 0.6 ? 1200 : 1500) + simulate_part();
}

/* Slower from call to call, and in bursts that last some blocks. */
static double drifting(size_t i)
{
	if (i == 0)
		level = 1;
	if (simulate_part() < 0.005)
		level = 1 + simulate_part();
	return level * (1200 + 0.05 * (double)i) + 3 * simulate_normal();
}

#define STEP 24

/* Most values are the same, because the step is long. */
static double quantised(size_t i)
{
	(void)i;
	return STEP * floor(8.5 + 0.3 * simulate_normal());
}

/* A smaller block than the meter's makes the simulation quicker, and the argument is the same. */
#define ROUNDS 9
#define TURNS 4

/* Two works that are one function take the same times, in an order that is drawn. */
static void make_block(size_t block, double (*draw)(size_t i))
{
	double samples[TURNS][ROUNDS];
	double *const values[TURNS] = { first[0], first[1], work[0], work[1] };

	for (size_t round = 0; round < ROUNDS; round++) {
		size_t order[TURNS] = { 0, 1, 2, 3 };

		for (size_t i = TURNS; i-- > 0;) {
			const size_t other = (size_t)(unit_random() % (i + 1));
			const size_t turn_there = order[other];

			order[other] = order[i];
			order[i] = turn_there;
			samples[turn_there][round] = draw((block * ROUNDS + round) * TURNS + i);
		}
	}
	for (size_t i = 0; i < TURNS; i++) {
		statistics_sort(samples[i], ROUNDS);
		values[i][block] = statistics_smooth_iqm(samples[i], ROUNDS, STEP);
	}
}

/* Compare and stop at the first verdict. */
static bool is_told(double (*draw)(size_t i), double error, unsigned looks, bool without_floor)
{
	size_t n = 0;

	for (unsigned look = 1; look <= looks; look++) {
		for (; n < verdict_due(error, look); n++) {
			make_block(n, draw);
			if (without_floor) {
				first[1][n] = first[0][n];
				work[1][n] = work[0][n];
			}
		}
		if (judge(n, verdict_share(error, look)).kind != VERDICT_CANNOT_TELL)
			return true;
	}
	return false;
}

static const struct simulate_series series[] = { { "normal", normal },
						 { "heavy-tailed", heavy },
						 { "bimodal", bimodal },
						 { "drifting", drifting },
						 { "quantised", quantised } };

/* An emulator of floating point takes a hundred times as long. */
#define COMPARISONS (unit_is_slow() ? (size_t)40 : 1000)

/* The promise, over all looks. The second part has no floor to help, and a larger error, which
 * shows more of the tail: it is held from below, too, so that this test sees verdicts. */
TEST(a_function_with_itself)
{
	for (size_t s = 0; s < N(series); s++) {
		size_t wrong = 0, by_coins = 0;
		char what[64];

		for (size_t i = 0; i < COMPARISONS; i++) {
			wrong += is_told(series[s].draw, ERROR, 7, false);
			by_coins += is_told(series[s].draw, 0.2, 7, true);
		}
		snprintf(what, sizeof what, "%s: wrong verdicts", series[s].name);
		simulate_at_most(wrong, COMPARISONS, ERROR, what);
		snprintf(what, sizeof what, "%s: wrong without a floor", series[s].name);
		simulate_at_most(by_coins, COMPARISONS, 0.2, what);
		/* Equal blocks, of which there are many there, count for neither side. */
		if (series[s].draw != quantised)
			simulate_at_least(by_coins, COMPARISONS, 0.05, what);
	}
}

/* Blocks of which works and places differ by these parts, with a noise of each value, and one that
 * is common to all. */
static void make_blocks(size_t from, size_t to, double work_part, double place_part, double noise)
{
	for (size_t i = from; i < to; i++) {
		const double common = 1200 * exp(0.01 * simulate_cauchy() / (double)(1 + i % 7));

		for (int place = 0; place < 2; place++) {
			const double part = place * place_part;

			first[place][i] = common * exp(part + noise * simulate_normal());
			work[place][i] = common * exp(work_part + part + noise * simulate_normal());
		}
	}
}

/* At how many blocks there is the first verdict. 0: at none of the looks. */
static size_t told_at(double work_part, double place_part, double noise, size_t blocks,
		      struct verdict *verdict)
{
	size_t n = 0;

	for (unsigned look = 1; n < blocks; look++) {
		const size_t due = verdict_due(ERROR, look), to = due < blocks ? due : blocks;

		make_blocks(n, to, work_part, place_part, noise);
		n = to;
		*verdict = judge(n, verdict_share(ERROR, look));
		if (verdict->kind != VERDICT_CANNOT_TELL)
			return n;
	}
	return 0;
}

#define TRIES (unit_is_slow() ? (size_t)10 : 200)

/* 0.25 % of 1,200 cycles, with the blocks of 100 ms on a slow machine, and a log ratio whose
 * standard deviation is 0.1 % to 0.3 %. */
TEST(a_small_difference_is_told)
{
	static const double spreads[] = { 0.001, 0.002, 0.003 };

	for (size_t s = 0; s < N(spreads); s++) {
		size_t right = 0;
		double sum = 0;

		for (size_t i = 0; i < TRIES; i++) {
			const bool slower = i % 2;
			struct verdict verdict;

			sum += (double)told_at(slower ? 0.0025 : -0.0025, 0, spreads[s] / sqrt(2),
					       500, &verdict);
			right += verdict.kind == (slower ? VERDICT_SLOWER : VERDICT_FASTER);
		}
		printf("# sd %g: told at %.0f blocks in the mean\n", spreads[s],
		       sum / (double)TRIES);
		simulate_at_least(right, TRIES, 0.999, "0.25 % told");
	}
}

/* The value of a block of batches of calls of so many ticks, by a counter that moves in steps and
 * does not know when a batch begins. The batch is off by some ticks each time. */
static double coarse_block(double ticks, unsigned batch, double noise)
{
	double samples[VERDICT_BLOCK];

	for (size_t i = 0; i < VERDICT_BLOCK; i++) {
		const double begin = STEP * simulate_part();
		const double length = batch * ticks + noise * fabs(simulate_cauchy());

		samples[i] = STEP * floor((begin + length) / STEP) / batch;
	}
	statistics_sort(samples, VERDICT_BLOCK);
	return statistics_smooth_iqm(samples, VERDICT_BLOCK, (double)STEP / batch);
}

static bool is_told_coarsely(double first_ticks, double work_ticks, unsigned batch, double noise)
{
	size_t n = 0;

	for (unsigned look = 1; look <= 9; look++) {
		for (; n < verdict_due(ERROR, look); n++) {
			for (int place = 0; place < 2; place++) {
				first[place][n] = coarse_block(first_ticks, batch, noise);
				work[place][n] = coarse_block(work_ticks, batch, noise);
			}
		}
		if (judge(n, verdict_share(ERROR, look)).kind == VERDICT_SLOWER)
			return true;
	}
	return false;
}

TEST(quantised_cycles_are_told)
{
	size_t right = 0;

	for (int try = 0; try < 20; try++)
		right += is_told_coarsely(20, 21, 20, 10);
	simulate_at_least(right, 20, 0.999, "20 against 21 told");
}

/* 0.25 % of 35 steps, wherever the length lies between two multiples of the step. */
TEST(a_part_of_a_step_is_told)
{
	size_t right = 0;

	for (int try = 0; try < 20; try++) {
		const double ticks = STEP * (35 + try / 20.0);

		right += is_told_coarsely(ticks, ticks * 1.0025, 1, 1);
	}
	simulate_at_least(right, 20, 0.999, "a part of a step told");
}

/* Functions that differ from themselves by 0.085 %. A work that differs by as much, to either side,
 * gets no verdict; one that differs by much more gets one. */
TEST(places_that_differ)
{
	const double bias = 0.00085, noise = 0.001;
	size_t wrong = 0, right = 0, forbidden = 0;

	for (size_t i = 0; i < TRIES; i++) {
		struct verdict verdict;

		wrong += told_at(i % 2 ? bias : -bias, bias, noise, BLOCKS_MAX, &verdict) > 0;
		assert_true(verdict.floor >= bias / 2);
		forbidden += verdict.needed == 0;
		told_at(3 * bias, bias, noise, BLOCKS_MAX, &verdict);
		right += verdict.kind == VERDICT_SLOWER;
	}
	simulate_at_most(wrong, TRIES, ERROR, "biased: wrong verdicts");
	simulate_at_least(forbidden, TRIES, 0.8, "biased: no number of blocks would tell");
	simulate_at_least(right, TRIES, 0.99, "biased: three times the bias told");
}

/* What is asked for is enough within a factor of 4, and half of it within that is too little. */
TEST(blocks_that_are_needed)
{
	size_t enough = 0, too_many = 0;

	for (size_t i = 0; i < TRIES; i++) {
		struct verdict verdict;
		size_t needed;

		make_blocks(0, 100, 0.001, 0, 0.002);
		verdict = judge(100, 1e-4);
		if (verdict.kind != VERDICT_CANNOT_TELL)
			continue;
		needed = verdict.needed;
		if (needed == 0 || needed > BLOCKS_MAX / 4)
			continue;
		assert_true(needed > 100);
		make_blocks(0, 4 * needed, 0.001, 0, 0.002);
		enough += judge(4 * needed, 1e-4).kind == VERDICT_SLOWER;
		too_many += judge(needed / 8, 1e-4).kind == VERDICT_SLOWER;
	}
	printf("# of %zu: %zu are told by 4 times the blocks, %zu by an eighth\n", TRIES, enough,
	       too_many);
	assert_true(enough >= TRIES / 2);
	assert_true(too_many <= TRIES / 4);
	/* A difference of nearly nothing needs more than can be counted. */
	make_blocks(0, 100, 0, 0, 0.2);
	memcpy(first[1], first[0], sizeof first[1]);
	for (size_t i = 0; i < 100; i++)
		work[0][i] = work[1][i] = first[0][i] * (i < 33 ? 0.9 : 1 + 1e-12);
	assert_int_equal(judge(100, 1e-4).needed, VERDICT_BLOCKS_MAX);
}

/* How far equal functions seem to be apart is noise, which says nothing about what might tell. */
TEST(nothing_is_needed_of_equals)
{
	size_t advised = 0;

	for (size_t i = 0; i < TRIES; i++) {
		make_blocks(0, 100, 0, 0, 0.002);
		advised += judge(100, 1e-4).needed > 0;
	}
	simulate_at_most(advised, TRIES, VERDICT_SEEN_ERROR, "equal: a number of blocks");
}

/* However small the error and whatever the values, what is needed is above what there is, and at
 * most VERDICT_BLOCKS_MAX. No double is so small that its half is not 0 and no interval has it. */
TEST(the_needed_never_overflow)
{
	static const double errors[] = { 0, 5e-324, 1e-323, 1e-310, 2e-308, 1e-300, 1e-9, 0.5, 1 };
	static const double values[] = { 5e-324, 1e-300, 1, 1e300 };

	for (size_t e = 0; e < N(errors); e++)
		for (size_t v = 0; v < N(values); v++)
			for (size_t n = 0; n <= BLOCKS_MAX; n = 2 * n + 1) {
				size_t needed;

				make_blocks(0, n, 0.001, 0, 0.002);
				for (size_t i = 0; i < n; i += 3)
					work[0][i] = work[1][i] = values[v];
				needed = judge(n, errors[e]).needed;
				assert_true(needed == 0 || needed > n);
				assert_true(needed <= VERDICT_BLOCKS_MAX);
				/* Half of the smallest double is 0, but not in an x87 register. */
				if (verdict_share(errors[e], 1) <= 0)
					assert_int_equal(needed, VERDICT_BLOCKS_MAX);
			}
}

/* The value of n blocks that differ by 2 %, of which this many were interrupted. */
static double value_of(size_t n, size_t interrupted)
{
	for (size_t i = 0; i < n; i++) {
		first[0][i] = first[1][i] = 100;
		work[0][i] = work[1][i] = i < interrupted ? 40000 : 102;
	}
	return verdict_log_ratio((const double *const[]){ first[0], first[1] },
				 (const double *const[]){ work[0], work[1] }, n, scratch);
}

TEST(a_value_without_interrupted_blocks)
{
	static const struct {
		size_t n, interrupted;
	} cases[] = { { 1, 0 }, { 2, 0 },  { 3, 1 },  { 4, 1 },  { 5, 1 },
		      { 8, 2 }, { 19, 4 }, { 20, 2 }, { 40, 4 }, { 100, 10 } };

	for (size_t i = 0; i < N(cases); i++)
		expect_near(value_of(cases[i].n, cases[i].interrupted), log(1.02), "a value");
	expect_near(value_of(2, 1), (log(1.02) + log(400)) / 2, "the mean of two");
	assert_true(isnan(value_of(0, 0)));
}

UNIT_MAIN_OF_SEED(SIMULATE_SEED, "verdict", NULL, NULL)
