/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "groups.h"
#include "simulate.h"
#include "verdict.h"

#define CALLS 200 /* of a group in a block */
#define ERROR 0.005

/* The difference that matters. */
static double apart = 7;

static struct groups_cuts chosen;
static double first[CALLS], second[CALLS], scratch[2 * CALLS], means[GROUPS_SCRATCH];
static struct groups groups;

static void expect_near(double got, double expected, const char *what)
{
	if (!(fabs(got - expected) < 1e-9))
		fail_msg("%s: %.12g, expected %.12g", what, got, expected);
}

static struct groups_value block_of(const double a[], size_t n, const double b[], size_t m,
				    double step)
{
	struct groups_value value;

	memset(&value, 0xff, sizeof value);
	memcpy(first, a, n * sizeof *a);
	memcpy(second, b, m * sizeof *b);
	assert_true(groups_block(first, n, second, m, scratch, &value));
	groups_block_deciles(first, n, second, m, step, &value);
	/* Exchanged groups have the same times together, so they get the same cuts. */
	groups_choose(&chosen, scratch, n + m, apart);
	groups_block_beyond(first, n, second, m, apart, &chosen, &value);
	return value;
}

/* Of 20 values in all, 2 lie below the first decile, and so on. */
TEST(shares_above_the_deciles)
{
	double a[10], b[10];
	struct groups_value value;

	for (size_t i = 0; i < 10; i++) {
		a[i] = (double)(10 - i);
		b[i] = a[i] + 100;
	}
	value = block_of(a, 10, b, 10, 0);
	/* Above the fifth decile is all of b and nothing of a. */
	expect_near(value.shares[4], 1, "in the middle");
	expect_near(value.shares[0], 0.2, "first decile: 8 of 10, and all");
	expect_near(value.shares[8], 0.2, "last decile: nothing, and 2 of 10");
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		expect_near(value.differences[i], 100, "difference");
	expect_near(value.first[4], 5.5, "median of the first group");
	assert_false(groups_block(first, 0, second, 10, scratch, &value));
	assert_false(groups_block(first, 10, second, 0, scratch, &value));
}

/* The whole proof rests on that. */
TEST(exchanged_groups_have_the_opposite_value)
{
	double a[CALLS], b[CALLS];

	for (int round = 0; round < 200; round++) {
		const size_t n = 1 + (size_t)(unit_random() % CALLS);
		const size_t m = 1 + (size_t)(unit_random() % CALLS);
		const double step = round % 3 * 10;
		struct groups_value one, other;

		for (size_t i = 0; i < n; i++)
			a[i] = floor(3 * simulate_cauchy());
		for (size_t i = 0; i < m; i++)
			b[i] = floor(3 * simulate_cauchy());
		one = block_of(a, n, b, m, step);
		other = block_of(b, m, a, n, step);
		for (size_t i = 0; i < GROUPS_PLACES; i++)
			expect_near(one.shares[i], -other.shares[i], "share");
		for (size_t i = 0; i < GROUPS_DECILES; i++)
			expect_near(one.differences[i], -other.differences[i], "difference");
		for (size_t i = 0; i < chosen.n; i++) {
			expect_near(one.beyond[0][i], other.beyond[1][i], "beyond, up to a cut");
			expect_near(one.beyond[2][i], other.beyond[3][i], "beyond, from a cut on");
		}
	}
}

/* Two counts only, as of a coarse counter: each decile moves to where they differ. */
TEST(ties)
{
	double a[10], b[10];
	struct groups_value value;

	for (size_t i = 0; i < 10; i++) {
		a[i] = i < 7 ? 84 : 105;
		b[i] = i < 5 ? 84 : 105;
	}
	value = block_of(a, 10, b, 10, 21);
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		expect_near(value.shares[i], 0.2, "share");
	/* 5 of 7 parts of the lower step, and its upper end. */
	expect_near(value.first[4], 84 - 10.5 + 21 * 5.0 / 7, "median of the first group");
	expect_near(value.differences[4], 21 * 2.0 / 7, "difference of the medians");
	/* Nothing is above the highest count, and 8 of 20 are too many for the tail. */
	expect_near(value.shares[GROUPS_TAIL], 0, "tail");
	for (size_t i = 0; i < 10; i++)
		a[i] = b[i] = 42;
	value = block_of(a, 10, b, 10, 21);
	for (size_t i = 0; i < GROUPS_PLACES; i++)
		expect_near(value.shares[i], 0, "share of equal values");
}

TEST(one_call_in_fifty_takes_longer)
{
	double a[CALLS], b[CALLS];
	struct groups_value value;

	for (size_t i = 0; i < CALLS; i++) {
		a[i] = 100 + (double)i / CALLS;
		b[i] = a[i] + (i % 50 ? 0 : 1000);
	}
	value = block_of(a, CALLS, b, CALLS, 0);
	expect_near(value.shares[GROUPS_TAIL], 0.02, "the slowest");
	expect_near(value.differences[4], 0.015, "the median moves by three places");
}

/* The most that is left over, of the second group's calls or of the first one's. */
static double most_beyond(const struct groups_value *value, size_t group)
{
	double most = -1;

	for (size_t i = 0; i < chosen.n; i++)
		for (size_t way = 1 - group; way < GROUPS_WAYS; way += 2)
			most = fmax(most, value->beyond[way][i]);
	return most;
}

TEST(what_lies_too_far_apart)
{
	double a[CALLS], b[CALLS];
	struct groups_value value;

	/* A shift of all calls, as large as what matters, and larger. */
	for (size_t i = 0; i < CALLS; i++) {
		a[i] = (double)i;
		b[i] = a[i] + 7;
	}
	value = block_of(a, CALLS, b, CALLS, 0);
	expect_near(value.shares[GROUPS_TAIL], 0.02, "the slowest");
	expect_near(value.shares[GROUPS_HEAD], 0.02, "the fastest");
	assert_true(most_beyond(&value, 0) <= 0 && most_beyond(&value, 1) <= 0);
	apart = 4;
	value = block_of(a, CALLS, b, CALLS, 0);
	expect_near(most_beyond(&value, 1), 0.015, "7 instead of 4 of 200");
	assert_true(most_beyond(&value, 0) <= 0);
	/* One call in twenty takes much longer, and then much shorter. */
	apart = 7;
	for (size_t i = 0; i < CALLS; i += 20)
		b[i] = 10000 + (double)i;
	value = block_of(a, CALLS, b, CALLS, 0);
	assert_true(most_beyond(&value, 1) > 0.04 && most_beyond(&value, 0) <= 0.005);
	for (size_t i = 0; i < CALLS; i += 20)
		b[i] = -10000 + (double)i;
	value = block_of(a, CALLS, b, CALLS, 0);
	assert_true(most_beyond(&value, 0) > 0.04 && most_beyond(&value, 1) <= 0.005);
	/* The gap before the others is wider than what matters, so a cut lies there. */
	expect_near(most_beyond(&value, 0), 0.05, "one call in twenty takes much less");
	/* Two modes that are narrower than what matters: a few calls are in the other one. */
	for (size_t i = 0; i < CALLS; i++) {
		a[i] = (i < 110 ? 100 : 300) + (double)(i % 5);
		b[i] = (i < 118 ? 100 : 300) + (double)(i % 5);
	}
	value = block_of(a, CALLS, b, CALLS, 0);
	expect_near(most_beyond(&value, 0), 0.04, "8 of 200");
	assert_true(most_beyond(&value, 1) <= 0);
	expect_near(value.differences[4], 0, "nothing in the median");
}

/* The number of gaps, and the k-th of them, from 0. */
static size_t gaps(void)
{
	size_t n = 0;

	for (size_t i = GROUPS_QUANTILES; i < chosen.n; i++)
		n += isfinite(chosen.at[i]) ? 1 : 0;
	return n;
}

static size_t gap(size_t k)
{
	for (size_t i = GROUPS_QUANTILES; i < chosen.n; i++)
		if (isfinite(chosen.at[i]) && k-- == 0)
			return i;
	fail_msg("there is no such gap");
	return 0;
}

TEST(cuts)
{
	static double times[1000];

	for (size_t i = 0; i < N(times); i++)
		times[i] = (double)(999 - i);
	groups_choose(&chosen, times, N(times), 7);
	assert_int_equal(chosen.n, GROUPS_CUTS);
	assert_int_equal(gaps(), 0);
	expect_near(chosen.quantile[0], 0.01, "the first cut");
	expect_near(chosen.quantile[1], 0.02, "the second cut");
	expect_near(chosen.quantile[25], 0.5, "the cut in the middle");
	expect_near(chosen.quantile[GROUPS_QUANTILES - 1], 0.99, "the last cut");
	assert_true(fabs(chosen.at[25] - 500) <= 1 && fabs(chosen.at[0] - 10) <= 1);
	/* Three gaps, of which one is too narrow, and one has too few calls on one side. */
	for (size_t i = 0; i < N(times); i++)
		times[i] = (double)i + (i > 123 ? 8 : 0) + (i > 500 ? 6 : 0) + (i > 700 ? 90 : 0) +
			   (i > 998 ? 5000 : 0);
	groups_choose(&chosen, times, N(times), 7);
	assert_int_equal(gaps(), 2);
	expect_near(chosen.at[gap(0)], times[123], "a gap");
	expect_near(chosen.at[gap(1)], times[700], "the other gap");
	expect_near(chosen.quantile[gap(1)], 0.701, "its place");
	/* More gaps than there is room for, and far out all of them are wider. */
	for (size_t i = 0; i < N(times); i++)
		times[i] = (double)i + (double)(i / 20 * 100) + (i > 940 ? 1000.0 * (double)i : 0);
	groups_choose(&chosen, times, N(times), 7);
	assert_int_equal(gaps(), GROUPS_GAPS);
	for (size_t i = GROUPS_QUANTILES + 1; i < chosen.n; i++)
		assert_true(
			chosen.at[i] > chosen.at[i - 1] &&
			(i == chosen.n - 1 || fabs(remainder(chosen.quantile[i], 0.02)) < 1e-9));
	groups_choose(&chosen, times, 0, 7);
	assert_int_equal(chosen.n, 0);
	expect_near(groups_within(0.01), 0.005, "what does not matter at an end");
	expect_near(groups_within(0.001), 0.005, "farther out");
	expect_near(groups_within(0.99), 0.005, "at the other end");
	assert_true(fabs(groups_within(0.5) - 0.025) < 0.0005);
}

/* Cuts do not hold if the calls lie between two of them, or beyond all, as those of a function do
 * that has become faster. */
TEST(cuts_hold)
{
	static double times[1000];
	struct groups_between between = { 0 };

	for (size_t i = 0; i < N(times); i++)
		times[i] = (double)i;
	groups_choose(&chosen, times, N(times), 7);
	assert_true(groups_cuts_hold(&chosen, &between, 7));
	groups_count_between(&chosen, times, N(times), &between);
	assert_int_equal(between.all, N(times));
	assert_in_range(between.calls[0], 8, 11);
	assert_in_range(between.calls[30], 18, 20);
	assert_in_range(between.calls[GROUPS_QUANTILES], 8, 11);
	expect_near(chosen.quantile[25], 0.5, "the cut in the middle stays there");
	for (size_t i = 0; i < 20; i++)
		groups_count_between(&chosen, times, N(times), &between);
	assert_true(groups_cuts_hold(&chosen, &between, 7));
	/* A quarter of all calls is beyond the last cut, or below the first. */
	for (size_t i = 0; i < 7; i++)
		groups_count_between(&chosen, &(double[]){ 1 }[0], 1, &between);
	assert_true(groups_cuts_hold(&chosen, &between, 7));
	for (size_t k = 0; k < 2; k++) {
		between = (struct groups_between){ 0 };
		groups_count_between(&chosen, times, N(times), &between);
		for (size_t i = 0; i < 333; i++)
			groups_count_between(&chosen, k ? &(double){ 5000 } : &(double){ -1 }, 1,
					     &between);
		assert_true(!groups_cuts_hold(&chosen, &between, 7));
		assert_true(fabs(chosen.quantile[25] - (k ? 0.375 : 0.625)) < 0.002);
	}
	/* Or between two in the middle, which does not matter if these are near each other. */
	between = (struct groups_between){ 0 };
	groups_count_between(&chosen, times, N(times), &between);
	for (size_t i = 0; i < 333; i++)
		groups_count_between(&chosen, &(double){ 510.5 }, 1, &between);
	assert_true(!groups_cuts_hold(&chosen, &between, 7));
	assert_true(groups_cuts_hold(&chosen, &between, 25));
	/* What lies at a cut is seen, however much that is. */
	between = (struct groups_between){ 0 };
	groups_count_between(&chosen, times, N(times), &between);
	for (size_t i = 0; i < 3333; i++)
		groups_count_between(&chosen, &chosen.at[25], 1, &between);
	assert_true(groups_cuts_hold(&chosen, &between, 7));
}

/* Of later blocks, what lies too far apart can be forgotten. */
TEST(beyond_is_forgotten)
{
	struct groups_value value = { .counted = 1, .calls = 200 };
	struct groups_interval interval;

	groups_begin(&groups);
	for (size_t i = 0; i < 300; i++) {
		value.beyond[0][0] = i < 100 ? 0.1 : 0.5;
		groups_add(&groups, &value);
	}
	groups_beyond(&groups, 0, 0, 0.05, means, &interval);
	assert_true(interval.high > 0.4);
	groups_forget_beyond(&groups, 100);
	assert_true(groups_beyond(&groups, 0, 0, 0.05, means, &interval));
	expect_near(interval.difference, 0.1, "of the first ones");
	expect_near(interval.high, 0.1, "of these alone");
	groups_forget_beyond(&groups, 0);
	assert_true(!groups_beyond(&groups, 0, 0, 0.05, means, &interval));
	assert_true(interval.high == INFINITY);
}

/* More blocks than there is room for: nothing of them is lost. */
TEST(values_become_means)
{
	const size_t blocks = 5 * GROUPS_VALUES + 3;
	struct groups_value value = { .shares = { 0 } };
	double sum = 0;

	groups_begin(&groups);
	for (size_t i = 0; i < blocks; i++) {
		value.shares[3] = (double)i;
		value.differences[3] = 2 * (double)i;
		value.first[3] = 7;
		groups_add(&groups, &value);
	}
	assert_int_equal(groups.blocks, blocks);
	assert_true(groups.n < GROUPS_VALUES && groups.n >= GROUPS_VALUES / 2);
	assert_int_equal(groups.each, 8);
	assert_int_equal(groups.n * groups.each + groups.open_blocks, blocks);
	for (size_t i = 0; i < groups.n; i++) {
		sum += groups.values[i].shares[3] * (double)groups.each;
		expect_near(groups.values[i].differences[3], 2 * groups.values[i].shares[3],
			    "both means");
		expect_near(groups.values[i].first[3], 7, "of equal values");
	}
	sum += groups.open.shares[3];
	expect_near(sum, (double)blocks * (double)(blocks - 1) / 2, "sum of all");
}

TEST(looks_are_due)
{
	assert_int_equal(groups_due(1), 32);
	assert_int_equal(groups_due(2), 48);
	assert_int_equal(groups_due(4), 108);
	/* With 32 bits, the last of them are due never. */
	for (unsigned look = 1; look < 50; look++)
		assert_true(groups_due(look + 1) > groups_due(look) ||
			    groups_due(look) == SIZE_MAX);
	assert_true(groups_due(1000) == SIZE_MAX);
}

/* The chances of all signs of some weights, counted, are nowhere above those promised. */
TEST(the_bound_holds_for_all_signs)
{
	const size_t n = 10;
	double weights[10];

	for (int kind = 0; kind < 4; kind++) {
		size_t beyond[40] = { 0 };

		for (size_t i = 0; i < n; i++)
			weights[i] = kind == 0 ? 1 :
				     kind == 1 ? (double)(i + 1) :
				     kind == 2 ? pow(2, (double)i) :
						 fabs(simulate_cauchy());
		for (unsigned signs = 0; signs < 1u << n; signs++) {
			struct groups_value value = { .shares = { 0 } };
			size_t place;

			groups_begin(&groups);
			for (size_t i = 0; i < n; i++) {
				value.shares[2] = signs >> i & 1 ? weights[i] : -weights[i];
				groups_add(&groups, &value);
			}
			/* One place of all, so that part of the chance, which is 1 at most. */
			for (size_t k = 7; k < N(beyond); k++)
				beyond[k] += groups_chance(&groups, &place) / GROUPS_PLACES <=
					     pow(0.7, (double)k);
			assert_true(place == 2 || groups_chance(&groups, &place) >= 1);
		}
		for (size_t k = 7; k < N(beyond); k++)
			if ((double)beyond[k] > pow(0.7, (double)k) * (1u << n))
				fail_msg("weights %d: %zu of %u, promised: %g of 1", kind,
					 beyond[k], 1u << n, pow(0.7, (double)k));
	}
}

TEST(reach_and_chance_agree)
{
	struct groups_value value = { .shares = { 0 } };
	size_t place;

	groups_begin(&groups);
	expect_near(groups_reach(&groups, ERROR), 0, "reach of nothing");
	expect_near(groups_chance(&groups, &place), 1, "chance of nothing");
	for (size_t i = 0; i < 60; i++) {
		value.shares[GROUPS_TAIL] = i % 5 ? 0.1 : -0.05;
		groups_add(&groups, &value);
		for (double error = 0.5; error > 1e-6; error /= 3) {
			const bool shown = groups_reach(&groups, error) > 1;

			assert_int_equal(shown, groups_chance(&groups, &place) < error);
		}
	}
	assert_int_equal(place, GROUPS_TAIL);
}

/* Series of times */

static double normal(size_t i)
{
	(void)i;
	return 1000 + 20 * simulate_normal();
}

static double skewed(size_t i)
{
	(void)i;
	return 1000 - 50 * log(simulate_part());
}

static double heavy(size_t i)
{
	(void)i;
	return 1000 + 5 * fabs(simulate_cauchy());
}

static double bimodal(size_t i)
{
	(void)i;
	return (simulate_part() < 0.3 ? 1200 : 1000) + 10 * simulate_normal();
}

static double quantised(size_t i)
{
	(void)i;
	return 21 * floor((1000 + 20 * simulate_normal()) / 21 + simulate_part());
}

static double drifting(size_t i)
{
	return 1000 + 0.01 * (double)i + 200 * (i / 5000 % 2 ? 1 : 0) + 20 * simulate_normal();
}

static const struct simulate_series series[] = {
	{ "normal", normal },   { "skewed", skewed },       { "heavy-tailed", heavy },
	{ "bimodal", bimodal }, { "quantised", quantised }, { "drifting", drifting },
};

/* A run as leak.c makes it, of so many blocks at most, with looks. rare: a call of the second group
 * takes 200 longer with this chance. Whether a difference was shown. *inside: all intervals held
 * the difference at the last look. */
static bool is_shown(double (*draw)(size_t i), double shift, double rare, size_t blocks,
		     double error, double step)
{
	size_t i = 0;
	unsigned look = 1;

	groups_begin(&groups);
	for (size_t block = 1; block <= blocks; block++) {
		struct groups_value value;
		size_t n = 0, m = 0;

		for (size_t k = 0; k < CALLS; k++, i++)
			if (unit_random() >> 63)
				first[n++] = draw(i);
			else
				second[m++] = draw(i) + shift + (simulate_part() < rare ? 200 : 0);
		if (groups_block(first, n, second, m, scratch, &value)) {
			groups_block_deciles(first, n, second, m, step, &value);
			groups_add(&groups, &value);
		}
		if (block < groups_due(look))
			continue;
		if (groups_reach(&groups, verdict_share(error, look++)) > 1)
			return true;
	}
	return false;
}

TEST(equal_groups)
{
	/* With a large error, because chance would hardly show anything with a small one. */
	const double error = 0.3;
	const size_t runs = 20;

	for (size_t s = 0; s < N(series); s++) {
		size_t wrong = 0;

		for (size_t run = 0; run < runs; run++)
			wrong += is_shown(series[s].draw, 0, 0, 110, error,
					  series[s].draw == quantised ? 21 : 0);
		simulate_at_most(wrong, runs, error, series[s].name);
	}
}

/* 2 of 1,000, and in one call of a hundred 200 more. */
TEST(differences_are_shown)
{
	const size_t runs = 10;

	for (size_t s = 0; s < N(series); s++) {
		size_t small = 0, rare = 0;

		for (size_t run = 0; run < runs; run++) {
			small += is_shown(series[s].draw, 2, 0, 1200, ERROR, 0);
			rare += is_shown(series[s].draw, 0, 0.01, 1200, ERROR, 0);
		}
		simulate_at_least(small, runs, 0.95, series[s].name);
		/* Among times that are far apart by themselves, some of these need more calls. */
		simulate_at_least(rare, runs, 0.7, "one call in a hundred");
	}
}

/* The intervals hold the true difference, 5 units at each decile. */
TEST(intervals_hold_the_difference)
{
	const size_t runs = 16;

	for (size_t s = 0; s < N(series); s++) {
		const double step = series[s].draw == quantised ? 21 : 0;
		size_t missed = 0, wide = 0;

		for (size_t run = 0; run < runs; run++) {
			struct groups_interval interval;

			is_shown(series[s].draw, 5, 0, 64, 1e-300, step);
			assert_true(groups_difference(&groups, 4, 0.05, means, &interval));
			missed += !(interval.low <= 5 && 5 <= interval.high);
			wide += !(interval.high - interval.low < 20);
			assert_true(interval.low <= interval.difference &&
				    interval.difference <= interval.high);
			assert_true(groups_end(&groups, GROUPS_TAIL, 0.05, means, &interval));
			assert_true(interval.low < 0.05 && interval.high > -0.05);
		}
		simulate_at_most(missed, runs, 0.07, series[s].name);
		assert_int_equal(wide, 0);
	}
}

/* In a block of 40 calls, none lies above their quantile of 99 %: that is no share of 0. */
TEST(short_blocks_have_no_tail)
{
	struct groups_interval interval;
	struct groups_value value;

	for (size_t calls = 40; calls <= 60; calls += 20) {
		groups_begin(&groups);
		for (size_t block = 0; block < 50; block++) {
			for (size_t i = 0; i < calls / 2; i++) {
				first[i] = normal(i);
				second[i] = normal(i);
			}
			groups_block(first, calls / 2, second, calls / 2, scratch, &value);
			groups_block_deciles(first, calls / 2, second, calls / 2, 0, &value);
			groups_add(&groups, &value);
		}
		assert_true(groups_difference(&groups, 8, ERROR, means, &interval));
		assert_int_equal(groups_end(&groups, GROUPS_TAIL, ERROR, means, &interval),
				 calls == 60);
		assert_int_equal(interval.low == -INFINITY, calls == 40);
		assert_true((interval.group0 > 0) == (calls == 60));
	}
}

TEST(few_blocks_have_no_interval)
{
	struct groups_interval interval;

	groups_begin(&groups);
	assert_false(groups_end(&groups, GROUPS_TAIL, ERROR, means, &interval));
	assert_true(interval.low == -INFINITY && interval.high == INFINITY);
	is_shown(normal, 0, 0, 3, ERROR, 0);
	assert_false(groups_difference(&groups, 0, ERROR, means, &interval));
	assert_true(interval.low == -INFINITY && interval.high == INFINITY);
	assert_true(fabs(interval.difference) < 100 && fabs(interval.group0 - 974) < 30);
}

UNIT_MAIN_OF_SEED(SIMULATE_SEED, "groups", NULL, NULL)
