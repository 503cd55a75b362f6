/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "simulate.h"
#include "statistics.h"

static void expect_near(double got, double expected, const char *what)
{
	if (!(fabs(got - expected) < 1e-9))
		fail_msg("%s: %.12g, expected %.12g", what, got, expected);
}

/* For qsort(), which is the sort to compare with. */
static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

TEST(sorts_any_values)
{
	static double ours[3000], libc[3000];

	for (size_t n = 0; n < N(ours); n = n < 70 ? n + 1 : n * 2 + 1) {
		for (size_t i = 0; i < n; i++)
			ours[i] = libc[i] = (double)(unit_random() % (n + 3)) - 2;
		statistics_sort(ours, n);
		qsort(libc, n, sizeof libc[0], compare);
		assert_memory_equal(ours, libc, n * sizeof ours[0]);
	}
}

TEST(sorts_nan_to_the_end)
{
	double values[] = { NAN, 3, INFINITY, NAN, -INFINITY, 1, NAN, 2 };
	static const double expected[] = { -INFINITY, 1, 2, 3, INFINITY };

	statistics_sort(values, N(values));
	for (size_t i = 0; i < N(values); i++)
		assert_true(i < N(expected) ? values[i] == expected[i] : isnan(values[i]));
}

/* By hand: at = p (n - 1), linear between neighbours. */
TEST(quantiles)
{
	static const double values[] = { 10, 20, 30, 50 }, one[] = { 7 };
	static const double infinite[] = { 1, INFINITY, INFINITY };

	expect_near(statistics_quantile(values, 4, 0), 10, "least");
	expect_near(statistics_quantile(values, 4, 0.25), 17.5, "25 %");
	expect_near(statistics_quantile(values, 4, 0.5), 25, "50 %");
	expect_near(statistics_quantile(values, 4, 0.9), 44, "90 %");
	expect_near(statistics_quantile(values, 4, 1), 50, "most");
	expect_near(statistics_quantile(one, 1, 0.3), 7, "30 % of one");
	assert_true(isinf(statistics_quantile(infinite, 3, 0.75)));
}

/* By hand: the middle half of n values is n/2 values long. */
TEST(interquartile_means)
{
	static const double values[] = { 1, 10, 20, 40, 80, 1000 };
	double same[51];

	expect_near(statistics_iqm(values, 1), 1, "of 1");
	expect_near(statistics_iqm(values, 2), 5.5, "of 2");
	expect_near(statistics_iqm(values, 3), (0.25 * 1 + 10 + 0.25 * 20) / 1.5, "of 3");
	expect_near(statistics_iqm(values, 4), 15, "of 4");
	expect_near(statistics_iqm(values, 5), (0.75 * 10 + 20 + 0.75 * 40) / 2.5, "of 5");
	expect_near(statistics_iqm(values, 6), (0.5 * 10 + 20 + 40 + 0.5 * 80) / 3, "of 6");
	for (size_t n = 1; n <= N(same); n++) {
		same[n - 1] = 42;
		assert_true(statistics_iqm(same, n) == 42);
	}
}

/* An outlier in the outer quarters changes nothing, not even if it is infinite. */
TEST(interquartile_mean_has_no_tails)
{
	double values[51], mean;

	for (size_t i = 0; i < N(values); i++)
		values[i] = (double)i;
	mean = statistics_iqm(values, N(values));
	expect_near(mean, 25, "of 0 to 50");
	for (size_t i = 0; i < 12; i++) {
		values[i] = -INFINITY;
		values[N(values) - 1 - i] = INFINITY;
	}
	assert_true(statistics_iqm(values, N(values)) == mean);
}

/* By hand. */
TEST(smooth_interquartile_means)
{
	static const double values[] = { 0, 0, 0, 1, 1, 20 }, two[] = { 0, 1 };
	double same[51];

	for (size_t n = 1; n <= N(values); n++)
		assert_true(statistics_smooth_iqm(values, n, 0) == statistics_iqm(values, n));
	expect_near(statistics_smooth_iqm(two, 2, 2), 0.5, "two, symmetric");
	/* The middle half of 0, 0 and 1 over 1 is two deep from -1/8 to 1/2, and one to 3/4. */
	expect_near(statistics_smooth_iqm(values + 1, 3, 1), (1.25 * 0.1875 + 0.25 * 0.625) / 1.5,
		    "three");
	for (size_t n = 1; n <= N(same); n++) {
		same[n - 1] = 848.098;
		expect_near(statistics_smooth_iqm(same, n, 26), 848.098, "all the same");
	}
}

/* A length that the counter shows as one multiple of its step or as the next. The interquartile
 * mean knows only one of them where the other one has less than a quarter. */
TEST(smooth_means_move_with_the_length)
{
	enum { MANY = 1000 };
	const double step = 26;
	double before = 0;

	for (int part = 0; part <= 20; part++) {
		const double length = step * (32 + part / 20.0);
		double values[MANY], mean;

		for (size_t i = 0; i < MANY; i++)
			values[i] = step * floor(length / step + ((double)i + 0.5) / MANY);
		statistics_sort(values, MANY);
		mean = statistics_smooth_iqm(values, MANY, step);
		assert_true(fabs(mean - length) < step * 0.09);
		assert_true(mean > before + step * 0.02);
		before = mean;
	}
}

/* Source: Campbell and Gardner, BMJ 1988; 296: 1454, the table of ranks for intervals of 95 % and
 * 99 % of medians. */
TEST(ranks_of_the_table)
{
	static const struct {
		size_t n, of_95, of_99;
	} table[] = { { 6, 1, 0 },   { 8, 1, 1 },    { 9, 2, 1 },    { 10, 2, 1 },
		      { 12, 3, 2 },  { 15, 4, 3 },   { 20, 6, 4 },   { 25, 8, 6 },
		      { 30, 10, 8 }, { 40, 14, 12 }, { 50, 18, 16 }, { 100, 40, 37 } };

	for (size_t i = 0; i < N(table); i++) {
		assert_int_equal(statistics_median_rank(table[i].n, 0.05), table[i].of_95);
		assert_int_equal(statistics_median_rank(table[i].n, 0.01), table[i].of_99);
	}
}

/* Against whole numbers. Up to 50 values, a chance of exactly the error is allowed. */
TEST(ranks_are_exact)
{
	static const double errors[] = { 0.5, 0.25, 0.05, 0x1p-7, 0.005, 0.0025, 1e-6, 0x1p-49 };

	for (size_t n = 1; n <= 50; n++) {
		for (size_t i = 0; i < N(errors); i++) {
			const double limit = ldexp(errors[i] / 2, (int)n);
			uint64_t ways = 1, sum = 1;
			size_t k = 0;

			while ((double)sum <= limit) {
				ways = ways * (n - k) / (k + 1);
				sum += ways;
				k++;
			}
			assert_int_equal(statistics_median_rank(n, errors[i]), k);
		}
	}
}

/* With many values, half a value beside the normal distribution's is much. */
TEST(ranks_of_many)
{
	static const struct {
		double error, score; /* the normal distribution's quantile 1 - error / 2 */
	} table[] = { { 0.05, 1.959964 }, { 0.005, 2.807034 }, { 1e-6, 4.891638 } };

	for (size_t n = 10000; n <= 300000; n += 96667) {
		for (size_t i = 0; i < N(table); i++) {
			const double half = table[i].score * sqrt((double)n) / 2;
			const double rank = (double)statistics_median_rank(n, table[i].error);

			/* k - 1 or fewer heads: half a value for the continuity. Exact tails are
			 * lighter than the normal ones, by less than a value here. */
			if (fabs(rank - ((double)n / 2 - half + 0.5)) > 1.5)
				fail_msg("rank of %zu at %g: %.1f", n, table[i].error, rank);
		}
	}
}

TEST(intervals_at_the_edges)
{
	static const double values[] = { 1, 2, 3, 4, 5, 6 };
	double low = -1, high = -1;

	assert_false(statistics_median_interval(values, 0, 0.05, &low, &high));
	assert_false(statistics_median_interval(values, 5, 0.05, &low, &high));
	assert_int_equal(statistics_median_rank(5000, 0), 0);
	assert_false(statistics_median_interval(values, 6, 0, &low, &high));
	assert_false(statistics_median_interval(values, 6, -1, &low, &high));
	assert_false(statistics_median_interval(values, 6, (double)NAN, &low, &high));
	assert_true(low == -1 && high == -1);
	assert_true(statistics_median_interval(values, 6, 0.05, &low, &high));
	assert_true(low == 1 && high == 6);
	/* An error of 1 and more leaves an interval that is not inside out. */
	for (size_t n = 1; n <= 6; n++) {
		assert_true(statistics_median_interval(values, n, 5, &low, &high));
		assert_true(low <= high);
	}
}

/* The median of each of these is 0, and the bimodal one's lies in the larger of its peaks. The
 * changing one's spread grows from value to value. */
static double normal(size_t i)
{
	(void)i;
	return simulate_normal();
}

static double heavy(size_t i)
{
	(void)i;
	return exp(simulate_cauchy()) - 1;
}

static double bimodal(size_t i)
{
	const double part = simulate_part();

	(void)i;
	return part < 0.7 ? part - 0.5 : 10 + part;
}

static double quantised(size_t i)
{
	(void)i;
	return round(1.5 * simulate_normal());
}

static double changing(size_t i)
{
	return simulate_normal() * (double)(i + 1);
}

#define TRIES 2000

TEST(intervals_hold_the_median)
{
	static const struct simulate_series series[] = { { "normal", normal },
							 { "heavy-tailed", heavy },
							 { "bimodal", bimodal },
							 { "quantised", quantised },
							 { "changing", changing } };
	static const size_t sizes[] = { 7, 10, 51, 200 };
	static double values[200];

	for (size_t s = 0; s < N(series); s++) {
		for (size_t i = 0; i < N(sizes); i++) {
			size_t missed = 0;
			char what[64];

			for (int try = 0; try < TRIES; try++) {
				double low = 1, high = -1;

				for (size_t v = 0; v < sizes[i]; v++)
					values[v] = series[s].draw(v);
				statistics_sort(values, sizes[i]);
				assert_true(statistics_median_interval(values, sizes[i], 0.05, &low,
								       &high));
				missed += low > 0 || high < 0;
			}
			snprintf(what, sizeof what, "%s, %zu values: misses", series[s].name,
				 sizes[i]);
			simulate_at_most(missed, TRIES, 0.05, what);
		}
	}
}

/* A tenth of the values is left out on each side: of 10 one, of 5 half a one. */
TEST(trimmed_means)
{
	double values[10];

	for (size_t i = 0; i < 10; i++)
		values[i] = (double)(i * i);
	expect_near(statistics_trimmed_mean(values, 10, 0.1), 204 / 8.0, "of 10");
	expect_near(statistics_trimmed_mean(values, 5, 0.1), (0.5 * 0 + 14 + 0.5 * 16) / 4, "of 5");
	expect_near(statistics_trimmed_mean(values, 10, 0), 28.5, "nothing left out");
	expect_near(statistics_trimmed_mean(values + 3, 1, 0.1), 9, "of 1");
	expect_near(statistics_trimmed_mean(values + 3, 2, 0.1), 12.5, "of 2");
	expect_near(statistics_trimmed_mean(values, 3, 0.4), 1, "of 3, nearly all left out");
}

/* Critical values of Wilcoxon's signed-rank test for two sides, as textbooks have them. A table has
 * the largest sum that is rare enough, and k is one more. */
TEST(signed_ranks_of_the_table)
{
	static const struct {
		size_t n;
		double error;
		size_t k;
	} table[] = {
		{ 5, 0.05, 0 },   { 6, 0.05, 1 },  { 7, 0.05, 3 },        { 8, 0.05, 4 },
		{ 9, 0.05, 6 },   { 10, 0.05, 9 }, { 15, 0.05, 26 },      { 20, 0.05, 53 },
		{ 25, 0.05, 90 }, { 7, 0.01, 0 },  { 8, 0.01, 1 },        { 10, 0.01, 4 },
		{ 20, 0.01, 38 }, { 1, 0.9, 0 },   { 9, 0.0025, 0 },      { 10, 0.0025, 1 },
		{ 3, 0, 0 },      { 3, -1, 0 },    { 3, (double)NAN, 0 },
	};

	for (size_t i = 0; i < N(table); i++) {
		double chances[200];
		const size_t k = statistics_signed_rank(table[i].n, table[i].error, chances);

		if (k != table[i].k)
			fail_msg("%zu values, error %g: %zu, expected %zu", table[i].n,
				 table[i].error, k, table[i].k);
	}
}

/* All 2^n signs, one by one. */
TEST(signed_ranks_are_exact)
{
	for (size_t n = 1; n <= 12; n++) {
		size_t with_sum[12 * 13 / 2 + 1] = { 0 };
		double chances[12 * 13 / 4 + 1];

		for (unsigned signs = 0; signs < 1u << n; signs++) {
			size_t sum = 0;

			for (size_t rank = 1; rank <= n; rank++)
				sum += signs >> (rank - 1) & 1 ? rank : 0;
			with_sum[sum]++;
		}
		for (double error = 0.9; error > 1e-4; error /= 1.7) {
			const size_t k = statistics_signed_rank(n, error, chances);
			size_t below = 0;

			for (size_t sum = 0; sum < k; sum++)
				below += with_sum[sum];
			assert_true((double)below <= ldexp(error / 2, (int)n));
			assert_true((double)(below + with_sum[k]) > ldexp(error / 2, (int)n));
		}
	}
}

/* The means of all pairs of 1, 2 and 4 are 1, 1.5, 2, 2.5, 3 and 4. */
TEST(signed_rank_intervals)
{
	static const double few[] = { 4, 1, 2 };
	double many[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 100 }, room[55];
	double estimate, low = 0, high = 0;

	assert_false(statistics_signed_rank_interval(few, 3, 0.05, room, &estimate, &low, &high));
	expect_near(estimate, 2.25, "the centre of 3");
	/* Of 55 means, the 9th from both ends: 8 of them are smaller than 3, and 8 as large as 50.
	 */
	assert_true(statistics_signed_rank_interval(many, 10, 0.05, room, &estimate, &low, &high));
	expect_near(estimate, 5.5, "the centre of 10");
	expect_near(low, 3, "low");
	expect_near(high, 51, "high");
}

UNIT_MAIN_OF_SEED(SIMULATE_SEED, "statistics", NULL, NULL)
