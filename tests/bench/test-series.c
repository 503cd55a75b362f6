/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The statistics of series.c, and the plans of system calls of plan.c. */

#include "config.h"

#include "unit.h"
#include "plan.h"
#include "series.h"

#include <errno.h>
#include <math.h>
#include <sys/syscall.h>

static void expect_near(double got, double expected, const char *what)
{
	if (!(fabs(got - expected) < 0.0005))
		fail_msg("%s: %f, expected %f", what, got, expected);
}

TEST(quartiles)
{
	static const double odd[] = { 5, 1, 4, 2, 3 }, even[] = { 40, 10, 30, 20 }, one[] = { 7 };
	struct spread s = spread_of(odd, N(odd));

	expect_near(s.min, 1, "least");
	expect_near(s.low, 2, "25 %");
	expect_near(s.median, 3, "median");
	expect_near(s.high, 4, "75 %");
	expect_near(s.max, 5, "most");
	s = spread_of(even, N(even));
	expect_near(s.low, 17.5, "25 % of four");
	expect_near(s.median, 25, "median of four");
	s = spread_of(one, N(one));
	expect_near(s.low, 7, "25 % of one");
	expect_near(s.high, 7, "75 % of one");
}

/* The expected scores are computed by hand: (rank sum - its mean) / standard deviation, without a
 * correction for continuity. */
TEST(ranks)
{
	static const double low[] = { 1, 2, 3, 4, 5 }, high[] = { 6, 7, 8, 9, 10 };
	static const double ties[] = { 1, 2, 2, 3 }, more_ties[] = { 2, 3, 3, 4, 5 };
	static const double same[] = { 4, 4, 4 };

	/* U = 0 of 25, mean 12.5, sd sqrt(25 * 11 / 12) */
	expect_near(rank_score(low, 5, high, 5), -2.6112, "all below");
	expect_near(rank_score(high, 5, low, 5), 2.6112, "all above");
	expect_near(rank_score(low, 5, low, 5), 0, "the same");
	/* ranks 1, 3, 3, 6: sum 13, mean 20; ties 3, 3: variance 20 / 12 * (10 - 48 / 72) */
	expect_near(rank_score(ties, 4, more_ties, 5), -7 / sqrt(20.0 / 12 * (10 - 48.0 / 72)),
		    "ties");
	expect_near(rank_score(same, 3, same, 3), 0, "all equal");
}

static void fill(struct series *s, double *samples, size_t n, double from, double step)
{
	for (size_t i = 0; i < n; i++)
		samples[i] = from + step * (double)i;
	*s = (struct series){ .samples = samples, .n = n };
}

TEST(verdicts)
{
	double x[100], y[100];
	struct series a, b;

	fill(&a, x, 100, 100, 1);
	fill(&b, y, 100, 300, 1);
	assert_int_equal(series_differ(&a, &b), -1);
	assert_int_equal(series_differ(&b, &a), 1);
	assert_int_equal(series_differ(&a, &a), 0);
	/* The ranks differ without a doubt, but the middle halves overlap. */
	fill(&b, y, 100, 130, 1);
	assert_true(fabs(rank_score(x, 100, y, 100)) > 5);
	assert_int_equal(series_differ(&a, &b), 0);
	/* The halves lie apart, but so few samples may do so by chance. */
	a.n = b.n = 4;
	assert_int_equal(series_differ(&a, &b), 0);
}

TEST(ratios)
{
	double x[101], y[101];
	struct series a, b;
	struct interval r;

	fill(&a, x, 101, 150, 1);
	fill(&b, y, 101, 50, 1);
	r = ratio_of(&a, &b, 1);
	expect_near(r.middle, 2, "ratio");
	assert_true(r.low < 2 && r.low > 1.5 && r.high > 2 && r.high < 2.5);
	r = ratio_of(&a, &a, 1);
	assert_true(r.low < 1 && r.high > 1);
	fill(&b, y, 101, 10, 0);
	fill(&a, x, 101, 5, 0);
	r = ratio_of(&a, &b, 1);
	assert_true(fabs(r.low - 0.5) < 1e-9 && fabs(r.high - 0.5) < 1e-9);
}

/* Without a hit the bound has a closed form. With all but one, so has the other tail. The
 * rest was computed with 60 decimal digits. */
TEST(bounds)
{
	expect_near(chance_at_most(0, 1), 0.95, "0 of 1");
	expect_near(chance_at_most(0, 500), 1 - pow(0.05, 1.0 / 500), "0 of 500");
	expect_near(chance_at_most(1, 10), 0.394163, "1 of 10");
	expect_near(chance_at_most(50, 100), 0.586378, "50 of 100");
	expect_near(chance_at_most(20, 2000), 0.014498, "20 of 2,000");
	expect_near(chance_at_most(9, 10), pow(0.95, 1.0 / 10), "9 of 10");
	expect_near(chance_at_most(7, 7), 1, "all");
	expect_near(chance_at_most(0, 0), 1, "nothing was tried");
	expect_near(percent_at_most(1, 10), 39.42, "1 of 10, rounded up");
	expect_near(percent_at_least(9, 10), 60.58, "9 of 10, rounded down");
	/* Numbers at which the terms leave the range of a double. */
	expect_near(chance_at_most(50000, 100000), 0.5 + 1.645 * sqrt(0.25 / 100000), "many");
}

static struct plan plan;

TEST(plans)
{
	char text[128];

	snprintf(text, sizeof text, "%d:nffffffb3,;%d:n1,i6869,o,;", (int)SYS_close,
		 (int)SYS_write);
	assert_true(plan_parse(text, &plan));
	assert_int_equal(plan.n, 2);
	assert_int_equal(plan.calls[0].number, SYS_close);
	assert_true((unsigned long)plan.calls[0].arguments[0] == 0xffffffb3UL);
	assert_int_equal(plan.calls[1].arguments[0], 1);
	assert_memory_equal((const char *)plan.calls[1].arguments[1], "hi", 2);
	assert_ptr_equal((const char *)plan.calls[1].arguments[2], plan.out);
}

TEST(plans_damaged)
{
	static const char *const damaged[] = {
		"",        ";",      "1",      "1:",      "1:n5",   "1:n5,",
		"1:n5;",   "1:x5,;", "1:i6,;", "1:i6g,;", "x:n5,;", "1:n1,n2,n3,n4,n5,n6,n7,;",
		"1:n5,;2",
	};

	for (size_t i = 0; i < N(damaged); i++)
		if (plan_parse(damaged[i], &plan))
			fail_msg("a plan: \"%s\"", damaged[i]);
}

TEST(plan_makes_calls)
{
	char text[128], got[4] = "";
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	snprintf(text, sizeof text, "%d:n%x,i6f6b,n2,;", (int)SYS_write, (unsigned)ends[1]);
	assert_true(plan_parse(text, &plan));
	plan_run(&plan);
	assert_int_equal(read(ends[0], got, 2), 2);
	assert_string_equal(got, "ok");
	close(ends[0]);
	close(ends[1]);
}

UNIT_MAIN("series", NULL, NULL)
