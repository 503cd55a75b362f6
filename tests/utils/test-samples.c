/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The arithmetic of samples. */

#include "config.h"

#include "unit.h"
#include "info/samples-figures.h"

#include <math.h>

/* Bounds of two values that arithmetic with fractions may round. */
static void near(double value, double expected)
{
	if (fabs(value - expected) <= 1e-9 * (1 + fabs(expected)))
		return;
	print_error("# %.12g is not %.12g\n", value, expected);
	fail();
}

static void expect_entry(const struct tally *tally, size_t i, int64_t difference,
			 uint64_t occurrences)
{
	assert_true(i < tally->n);
	assert_int_equal(tally->entries[i].difference, difference);
	assert_int_equal(tally->entries[i].occurrences, occurrences);
}

TEST(tally_counts)
{
	struct tally tally = { 0 };
	int64_t first[] = { 42, 21, 21, -3, 42, 21 }, second[] = { 21, 30, INT64_MAX },
		third[] = { INT64_MIN };

	assert_true(tally_add(&tally, first, 6));
	assert_int_equal(tally.n, 3);
	expect_entry(&tally, 0, -3, 1);
	expect_entry(&tally, 1, 21, 3);
	expect_entry(&tally, 2, 42, 2);
	assert_true(tally_add(&tally, second, 3));
	assert_true(tally_add(&tally, third, 1));
	assert_int_equal(tally.n, 6);
	expect_entry(&tally, 0, INT64_MIN, 1);
	expect_entry(&tally, 2, 21, 4);
	expect_entry(&tally, 3, 30, 1);
	expect_entry(&tally, 5, INT64_MAX, 1);
	tally_free(&tally);
	assert_int_equal(tally.n, 0);
}

TEST(tally_of_nothing)
{
	struct tally tally = { 0 };
	int64_t one[] = { 7 };

	assert_true(tally_add(&tally, one, 0));
	assert_int_equal(tally.n, 0);
	assert_true(tally_add(&tally, one, 1));
	assert_true(tally_add(&tally, one, 0));
	assert_int_equal(tally.n, 1);
	expect_entry(&tally, 0, 7, 1);
	tally_free(&tally);
}

/* No difference gets lost, and the order holds, in whatever parts they come. */
TEST(tally_of_many)
{
	struct tally tally = { 0 };
	int64_t part[200];
	uint64_t expected[64] = { 0 }, all = 0;

	for (int run = 0; run < 100; run++) {
		const size_t n = (size_t)(unit_random() % 200);

		for (size_t i = 0; i < n; i++) {
			part[i] = (int64_t)(unit_random() % 64);
			expected[part[i]]++;
		}
		assert_true(tally_add(&tally, part, n));
	}
	for (size_t i = 0; i < tally.n; i++) {
		assert_true(i == 0 ||
			    tally.entries[i - 1].difference < tally.entries[i].difference);
		assert_int_equal(tally.entries[i].occurrences,
				 expected[tally.entries[i].difference]);
		all += tally.entries[i].occurrences;
	}
	for (size_t i = 0; i < 64; i++)
		all -= expected[i];
	assert_int_equal(all, 0);
	tally_free(&tally);
}

TEST(residuals)
{
	const struct reading first = { 1000, 500 }, second = { 3000001000, 1000000500 };
	double ppm = 0;

	assert_true(samples_residual(first, second, 3000000000, &ppm));
	near(ppm, 0);
	assert_true(samples_residual(first, second, 1500000000, &ppm));
	near(ppm, 1e6);
	assert_true(samples_residual(first, (struct reading){ 3000031000, 1000000500 }, 3000000000,
				     &ppm));
	near(ppm, 10);
	/* A counter that runs backwards is a million and more below. */
	assert_true(samples_residual(first, (struct reading){ -2999999000, 1000000500 }, 3000000000,
				     &ppm));
	near(ppm, -2e6);
	assert_false(samples_residual(first, first, 3000000000, &ppm));
	assert_false(samples_residual(second, first, 3000000000, &ppm));
}

/* A count may pass the end of its 64 bits, and an hour is not too long. */
TEST(residuals_of_large_counts)
{
	const struct reading first = { INT64_MAX - 10, 0 };
	struct reading last = { (int64_t)((uint64_t)INT64_MAX + 89), 100 };
	double ppm, hz;

	assert_true(samples_residual(first, last, 990000000, &ppm));
	near(ppm, 0);
	assert_true(samples_hz(first, last, &hz));
	near(hz, 990000000);
	last = (struct reading){ (int64_t)((uint64_t)INT64_MAX - 10 + 18000000018000u),
				 3600000000000 };
	assert_true(samples_residual(first, last, 5000000000, &ppm));
	near(ppm, 0.001);
}

TEST(frequencies)
{
	const struct reading first = { 5, 7 };
	double hz = 0;

	assert_true(samples_hz(first, (struct reading){ 2505, 1007 }, &hz));
	near(hz, 2.5e9);
	assert_false(samples_hz(first, (struct reading){ 5, 1007 }, &hz));
	assert_false(samples_hz(first, (struct reading){ 4, 1007 }, &hz));
	assert_false(samples_hz(first, (struct reading){ 2505, 7 }, &hz));
	assert_false(samples_hz(first, (struct reading){ 2505, 6 }, &hz));
}

TEST(spans)
{
	struct skew_bounds span = { INT64_MIN, INT64_MAX };

	assert_true(samples_narrow(&span, (struct skew_bounds){ -200, 100 }));
	assert_true(samples_narrow(&span, (struct skew_bounds){ -300, 50 }));
	assert_int_equal(span.low, -200);
	assert_int_equal(span.high, 50);
	assert_true(samples_narrow(&span, (struct skew_bounds){ 50, 70 }));
	assert_false(samples_narrow(&span, (struct skew_bounds){ 51, 70 }));
}

/* The printed interval holds all that is possible. */
TEST(offsets)
{
	double offset, bound;

	samples_offset((struct skew_bounds){ -200, 100 }, 1000000000, 0, &offset, &bound);
	near(offset, -50);
	near(bound, 150.1);
	samples_offset((struct skew_bounds){ 400, 404 }, 2000000000, 20, &offset, &bound);
	near(offset, 201);
	near(bound, 11.1);
	for (int run = 0; run < 1000; run++) {
		const int64_t a = (int64_t)(unit_random() % 2000001) - 1000000,
			      b = a + (int64_t)(unit_random() % 100000);
		const uint64_t hz = 1000000 + unit_random() % 5000000000;
		const double ns = 1e9 / (double)hz;
		char text[64];

		samples_offset((struct skew_bounds){ a, b }, hz, 1, &offset, &bound);
		snprintf(text, sizeof text, "%.1f %.1f", offset, bound);
		assert_int_equal(sscanf(text, "%lf %lf", &offset, &bound), 2);
		assert_true(offset - bound <= (double)a * ns && (double)b * ns <= offset + bound);
	}
}

TEST(medians)
{
	double odd[] = { 9, 1, 5 }, even[] = { 4, 1, 3, 2 }, one[] = { 7 };

	near(samples_median(odd, 3), 5);
	near(samples_median(even, 4), 2.5);
	near(samples_median(one, 1), 7);
}

UNIT_MAIN_SEEDED("samples", NULL, NULL)
