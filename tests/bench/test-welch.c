/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The t test beside which bench/leaks shows the library's. */

#include "config.h"

#include "unit.h"
#include "series.h"
#include "welch.h"

#include <math.h>

#define CALLS 4000
#define TESTS 200

static double a[CALLS], b[CALLS];

static void expect_near(double got, double expected, const char *what)
{
	if (!(fabs(got - expected) < 0.0005))
		fail_msg("%s: %f, expected %f", what, got, expected);
}

/* By hand: means 3 and 5, variances of the means 2.5 / 5 and 10 / 5. */
TEST(by_hand)
{
	static const double few[] = { 1, 2, 3, 4, 5 }, more[] = { 1, 3, 5, 7, 9 };
	static const double same[] = { 4, 4, 4 }, other[] = { 6, 6 };

	expect_near(welch_t(few, 5, more, 5), 2 / sqrt(2.5), "b is larger");
	expect_near(welch_t(more, 5, few, 5), -2 / sqrt(2.5), "a is larger");
	expect_near(welch_t(few, 1, more, 5), 0, "one value");
	expect_near(welch_t(same, 3, same, 2), 0, "all the same");
	assert_true(welch_t(same, 3, other, 2) == INFINITY);
}

/* Times near 1,000, of which one in a hundred was interrupted and takes up to 2,000,000 more. */
static void draw(double times[], double shift, uint64_t *state)
{
	for (int i = 0; i < CALLS; i++) {
		times[i] = 1000 + shift + (double)(random_next(state) >> 60);
		if (random_next(state) >> 32 < UINT32_MAX / 100)
			times[i] += (double)(random_next(state) >> 43);
	}
}

static int count(double shift, int *raw)
{
	uint64_t state = random_begin(1, 0);
	int cropped = 0;

	*raw = 0;
	for (int i = 0; i < TESTS; i++) {
		draw(a, 0, &state);
		draw(b, shift, &state);
		*raw += fabs(welch_t(a, CALLS, b, CALLS)) > WELCH_THRESHOLD;
		cropped += welch_cropped(a, CALLS, b, CALLS) > WELCH_THRESHOLD;
	}
	return cropped;
}

/* What is cut off hides a small shift from the test on all times. */
TEST(crops_find_what_interrupts_hide)
{
	int raw;

	assert_int_equal(count(1, &raw), TESTS);
	assert_int_equal(raw, 0);
	assert_in_range(count(0, &raw), 0, TESTS / 20);
}

UNIT_MAIN("welch", NULL, NULL)
