/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "info/observe.h"

#include "unit.h"

#define NS_PER_S UINT64_C(1000000000)

static long long mean_of(const long long values[], size_t n)
{
	long long copy[64];

	memcpy(copy, values, n * sizeof copy[0]);
	return observe_interquartile_mean(copy, n);
}

#define MEAN(...) \
	mean_of((const long long[]){ __VA_ARGS__ }, \
		sizeof(const long long[]){ __VA_ARGS__ } / sizeof(long long))

TEST(test_mean_of_few)
{
	assert_int_equal(MEAN(7), 7);
	assert_int_equal(MEAN(7, 9), 8);
	/* Quarters 3 to 9 of 12: a quarter of 0, all of 10, a quarter of 50. */
	assert_int_equal(MEAN(0, 10, 50), 15);
	assert_int_equal(MEAN(0, 10, 20, 1000), 15);
}

TEST(test_mean_ignores_outliers)
{
	assert_int_equal(MEAN(5, 5, 1000000, 5, -1000000, 5, 5, 5), 5);
	assert_int_equal(MEAN(8, 1, 7, 2, 6, 3, 5, 4), 5); /* 3 to 6: 4.5 */
}

TEST(test_mean_rounds_to_nearest)
{
	assert_int_equal(MEAN(0, 1, 1, 2), 1);
	assert_int_equal(MEAN(0, 10, 11, 12), 11);
	assert_int_equal(MEAN(-12, -11, -11, 0), -11);
	assert_int_equal(MEAN(-8, -7, -6, -5, -5, -4, -3, -2), -5);
	assert_int_equal(MEAN(1, 1, 1, 1, 1, 2, 2, 2), 1); /* 1.25 */
	assert_int_equal(MEAN(-2, -2, -2, -1, -1, -1, -1, -1), -1);
}

TEST(test_mean_of_large_counts)
{
	assert_int_equal(MEAN(LLONG_MAX, LLONG_MAX, LLONG_MAX), LLONG_MAX);
	assert_int_equal(MEAN(LLONG_MIN, LLONG_MIN, LLONG_MIN, LLONG_MIN), LLONG_MIN);
}

/* Sixty-three values of which the middle half is the same. */
TEST(test_mean_of_sixty_three)
{
	long long values[OBSERVE_DIFFERENCES];

	for (int i = 0; i < OBSERVE_DIFFERENCES; i++)
		values[i] = i * 37 % OBSERVE_DIFFERENCES;
	assert_int_equal(mean_of(values, OBSERVE_DIFFERENCES), 31);
	for (int i = 0; i < OBSERVE_DIFFERENCES; i++)
		values[i] = i < 15 ? -100 : i < 48 ? 26 : 9999;
	assert_int_equal(mean_of(values, OBSERVE_DIFFERENCES), 26);
}

static struct observe_bounds bounds(uint64_t inner, uint64_t outer, uint64_t ns,
				    uint64_t resolution)
{
	const struct observe_reading reading = { inner, outer, ns, resolution };

	return observe_bounds(&reading);
}

TEST(test_bounds_round_outwards)
{
	struct observe_bounds b = bounds(1000, 1000, 1001, 1);

	assert_int_equal(b.low, 998003992);   /* 1000 / 1002 ns */
	assert_int_equal(b.high, 1000000000); /* 1000 / 1000 ns */
	b = bounds(1, 1, 4, 1);
	assert_int_equal(b.low, 200000000);
	assert_int_equal(b.high, 333333334);
}

TEST(test_bounds_are_finite)
{
	struct observe_bounds b = bounds(5, 7, 0, 1);

	assert_int_equal(b.low, 5 * NS_PER_S);
	assert_int_equal(b.high, 7 * NS_PER_S);
	b = bounds(5, 7, 1000000, 4000000); /* a clock of 4 ms */
	assert_int_equal(b.low, 1000);
	assert_int_equal(b.high, 7 * NS_PER_S);
	b = bounds(0, 0, 1000, 1); /* default-zero */
	assert_int_equal(b.low, 0);
	assert_int_equal(b.high, 0);
	b = bounds(UINT64_MAX / 2, UINT64_MAX / 2, 0, 1);
	assert_int_equal(b.high, INT64_MAX);
}

/* The program was stopped for an hour. */
TEST(test_bounds_of_long_intervals)
{
	const uint64_t hz = 2596140000, s = 3600;
	struct observe_bounds b = bounds(s * hz, s * hz, s * NS_PER_S, 1);

	unit_in_range(b.low, hz - 10, hz);
	unit_in_range(b.high, hz, hz + 10);
}

TEST(test_bounds_hold_the_truth)
{
	unsigned seed = (unsigned)time(NULL);

	print_message("# seed %u\n", seed);
	srand(seed);
	for (int i = 0; i < 100000; i++) {
		uint64_t hz = 1 + (uint64_t)rand() % 6000 * 1000003;
		uint64_t ns = 10 + (uint64_t)rand() % 1000000000;
		unsigned around = (unsigned)rand() % 500;
		double cycles = (double)hz * (double)ns / (double)NS_PER_S;
		struct observe_bounds b = bounds(cycles > around ? (uint64_t)(cycles - around) : 0,
						 (uint64_t)cycles + around + 1, ns, 1);

		if (b.low > hz || b.high < hz)
			fail_msg("hz %llu, ns %llu: %llu...%llu", (unsigned long long)hz,
				 (unsigned long long)ns, (unsigned long long)b.low,
				 (unsigned long long)b.high);
	}
}

TEST(test_the_loops_of_this_machine)
{
	struct observe_loop loops[OBSERVE_LOOPS];
	bool longer = false;

	/* Another process may come between. */
	for (int i = 0; i < 10 && !longer; i++) {
		observe_loops(loops);
		longer = loops[OBSERVE_LOOPS - 1].us > loops[0].us;
	}
	for (unsigned i = 0; i < OBSERVE_LOOPS; i++) {
		assert_int_equal(loops[i].loops, 1024u << i);
		assert_true(loops[i].persecond.low <= loops[i].persecond.high);
	}
	/* A loop that the compiler threw away would not last longer for 2^20 rounds, but
	 * by chance. */
	assert_true(longer);
}

UNIT_MAIN("observe", NULL, NULL)
