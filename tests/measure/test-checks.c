/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "checks.h"
#include "simulate.h"
#include "statistics.h"

#define MANY 4000

static double samples[MANY], scratch[MANY];

TEST(rates)
{
	static const struct {
		double counts, ns, ns_error;
		uint64_t hz, ppm;
		bool warning;
		double found;
	} table[] = {
		{ 3e7, 1e7, 0, 3000000000, 0, false, 3e9 },
		{ 3.14e7, 1e7, 0, 3000000000, 0, false, 3.14e9 },
		{ 3.16e7, 1e7, 0, 3000000000, 0, true, 3.16e9 },
		{ 2.84e7, 1e7, 0, 3000000000, 0, true, 2.84e9 },
		{ 3.16e7, 1e7, 0, 3000000000, 10000, false, 3.16e9 },
		{ 3.16e7, 1e7, 1e6, 3000000000, 0, false, 3.16e9 },
		{ 0, 1e7, 0, 3000000000, 0, true, 0 },
		{ -3e7, 1e7, 0, 3000000000, 0, true, -3e9 },
		{ 3e7, 1e7, 0, 0, 0, false, 0 },
		{ 3e7, 0, 0, 1000, 0, false, 0 },
		{ 3e7, 1e3, 1e3, 1000, 0, false, 0 },
	};

	for (size_t i = 0; i < N(table); i++) {
		double found = -1;
		const bool warning = checks_rate(table[i].counts, table[i].ns, table[i].ns_error,
						 table[i].hz, table[i].ppm, &found);

		if (warning != table[i].warning || fabs(found - table[i].found) > 1)
			fail_msg("rate %zu: %d, %g", i, warning, found);
	}
}

TEST(steps)
{
	assert_false(checks_step(10, 1));
	assert_true(checks_step(9.9, 1));
	assert_true(checks_step(244, 24.45));
	assert_false(checks_step(245, 24.45));
	assert_true(checks_step(-1, 1));
	assert_true(checks_step((double)NAN, 1));
}

TEST(loops)
{
	assert_true(checks_loop(3.9, 2));
	assert_true(checks_loop(1, 2));
	assert_false(checks_loop(4, 2));
	assert_false(checks_loop(1, 0));
	assert_false(checks_loop(-1, -2));
}

TEST(frequencies)
{
	assert_false(checks_frequency(3e9, 3.1e9));
	assert_true(checks_frequency(3e9, 3.2e9));
	assert_true(checks_frequency(3e9, 2.8e9));
	assert_false(checks_frequency(0, 3e9));
	assert_false(checks_frequency(3e9, 0));
	assert_false(checks_frequency((double)NAN, 3e9));
	assert_false(checks_frequency(3e9, (double)INFINITY));
}

/* Samples of a shared machine: one in a hundred is preempted. */
static double preempted(double usual)
{
	return usual + (simulate_part() < 0.01 ? 3e6 * simulate_part() : 0);
}

static double normal(size_t i)
{
	(void)i;
	return preempted(1200 + 20 * simulate_normal());
}

static double heavy(size_t i)
{
	(void)i;
	return preempted(1200 + 30 * fabs(simulate_cauchy()));
}

/* The other thread of the core is busy or not, for some samples at a time. */
static double bimodal(size_t i)
{
	static bool busy;

	(void)i;
	if (simulate_part() < 0.3)
		busy = simulate_part() < 0.5;
	return preempted((busy ? 1800 : 1200) + 5 * simulate_normal());
}

static double quantised(size_t i)
{
	(void)i;
	return preempted(24.45 * floor(8.2 + 0.6 * simulate_part()));
}

/* Most samples of a window are disturbed, in one burst. */
static double burst(size_t i)
{
	return preempted((i > 1210 && i < 1390 ? 4000 : 1200) + 20 * simulate_normal());
}

/* Slower by 2 % in the whole run, as a warm core is. */
static double warming(size_t i)
{
	return preempted(1200 * (1 + 0.02 * (double)i / MANY) + 10 * simulate_normal());
}

static const struct {
	const char *name;
	double (*draw)(size_t i);
	double resolution;
} series[] = { { "normal", normal, 1 },      { "heavy-tailed", heavy, 1 },
	       { "bimodal", bimodal, 1 },    { "quantised", quantised, 24.45 },
	       { "with a burst", burst, 1 }, { "warming", warming, 1 } };

static void fill(double (*draw)(size_t i))
{
	for (size_t i = 0; i < MANY; i++)
		samples[i] = draw(i);
}

#define RUNS 50

static bool has_tail(size_t n, double resolution, double *tail)
{
	statistics_take(samples, 1, n, scratch);
	return checks_tail(scratch, n, statistics_iqm(scratch, n), resolution, tail);
}

TEST(good_data_has_no_warning)
{
	static const size_t sizes[] = { MANY, 1000, 200 };

	for (size_t s = 0; s < N(series); s++) {
		for (int run = 0; run < RUNS; run++) {
			const size_t n = sizes[(size_t)run % N(sizes)];
			double a, b;

			fill(series[s].draw);
			if (checks_halves(samples, n, series[s].resolution, scratch, &a, &b))
				fail_msg("%s, %zu: halves %g, %g", series[s].name, n, a, b);
			if (checks_drift(samples, n, series[s].resolution, scratch, &a, &b))
				fail_msg("%s, %zu: drift %g, %g", series[s].name, n, a, b);
			if (has_tail(n, series[s].resolution, &a))
				fail_msg("%s, %zu: tail %g", series[s].name, n, a);
		}
	}
}

/* Every other sample takes 8 % longer, and two steps at least. */
TEST(unequal_halves_are_seen)
{
	for (size_t s = 0; s < N(series); s++) {
		for (int run = 0; run < RUNS; run++) {
			double a, b;

			fill(series[s].draw);
			for (size_t i = (size_t)run % 2; i < MANY; i += 2)
				samples[i] += fmax(96, 2 * series[s].resolution);
			if (!checks_halves(samples, MANY, series[s].resolution, scratch, &a, &b))
				fail_msg("%s: halves %g, %g", series[s].name, a, b);
			assert_true(run % 2 ? b > a : a > b);
		}
	}
}

/* One sample in six takes 10 times as long, or one in ten, at chance places. */
TEST(a_tail_is_seen)
{
	double tail;

	for (size_t s = 0; s < N(series); s++) {
		for (int run = 0; run < RUNS; run++) {
			const uint64_t one_in = run % 2 ? 6 : 10;

			fill(series[s].draw);
			for (size_t i = 0; i < MANY; i++)
				if (unit_random() % one_in == 0)
					samples[i] = 10 * fabs(samples[i]) + 1000;
			if (!has_tail(MANY, series[s].resolution, &tail))
				fail_msg("%s: tail %g", series[s].name, tail);
		}
	}
}

TEST(a_tail_has_limits)
{
	double tail;

	for (size_t i = 0; i < MANY; i++)
		samples[i] = i % 20 ? 100 : 1e9; /* one in twenty */
	assert_false(has_tail(MANY, 1, &tail));
	assert_true(tail == 100);
	for (size_t i = 0; i < MANY; i++)
		samples[i] = i % 4 ? 100 : 199;
	assert_false(has_tail(MANY, 1, &tail));
	for (size_t i = 0; i < MANY; i++)
		samples[i] = i % 4 ? 100 : 201;
	assert_true(has_tail(MANY, 1, &tail));
	assert_true(tail == 201);
	assert_false(has_tail(MANY, 51, &tail));
	for (size_t i = 0; i < MANY; i++)
		samples[i] = i % 4 ? 100 : 1000;
	assert_true(has_tail(42, 1, &tail));
	assert_false(has_tail(41, 1, &tail));
	assert_false(checks_tail(scratch, 0, 100, 1, &tail));
}

/* Small differences are none, however sure they are. */
TEST(halves_have_limits)
{
	double a, b;

	for (size_t i = 0; i < MANY; i++)
		samples[i] = 1000 + (double)(i % 2) * 9;
	assert_false(checks_halves(samples, MANY, 1, scratch, &a, &b));
	assert_true(a == 1000 && b == 1009);
	for (size_t i = 0; i < MANY; i++)
		samples[i] = 1000 + (double)(i % 2) * 20;
	assert_true(checks_halves(samples, MANY, 1, scratch, &a, &b));
	assert_true(checks_halves(samples, 42, 1, scratch, &a, &b));
	assert_false(checks_halves(samples, 41, 1, scratch, &a, &b));
	assert_false(checks_halves(samples, MANY, 20, scratch, &a, &b));
	for (size_t n = 0; n < 3; n++)
		assert_false(checks_halves(samples, n, 1, scratch, &a, &b));
}

static double slower_from(size_t i, size_t from, size_t to, double part)
{
	return samples[i] * (i >= from && i < to ? 1 + part : 1);
}

/* The frequency falls by 20 % at any time but in the first and last window, or bit by bit. */
TEST(drift_is_seen)
{
	for (int run = 0; run < RUNS; run++) {
		const size_t from = MANY / 4 + (size_t)(unit_random() % (MANY / 2));
		double smallest, largest;

		fill(run % 2 ? normal : heavy);
		for (size_t i = 0; i < MANY; i++)
			samples[i] = run % 3 ? slower_from(i, from, MANY, 0.25) :
					       samples[i] * (1 + 0.25 * (double)i / MANY);
		if (!checks_drift(samples, MANY, 1, scratch, &smallest, &largest))
			fail_msg("from %zu: drift %g, %g", from, smallest, largest);
		assert_true(largest > smallest * 1.05);
	}
}

TEST(drift_has_limits)
{
	double smallest, largest;

	/* One window alone is a disturbance, at any place and in both directions. */
	for (size_t window = 0; window < CHECKS_WINDOWS; window++) {
		for (double part = -0.5; part < 1; part++) {
			const size_t length = MANY / CHECKS_WINDOWS;

			fill(normal);
			for (size_t i = 0; i < MANY; i++)
				samples[i] = slower_from(i, window * length, (window + 1) * length,
							 part);
			assert_false(checks_drift(samples, MANY, 1, scratch, &smallest, &largest));
		}
	}
	/* 4 % is none, and two steps are none. */
	for (size_t i = 0; i < MANY; i++)
		samples[i] = i < MANY / 2 ? 1000 : 1040;
	assert_false(checks_drift(samples, MANY, 1, scratch, &smallest, &largest));
	assert_true(smallest == 1000 && largest == 1040);
	for (size_t i = 0; i < MANY; i++)
		samples[i] = i < MANY / 2 ? 100 : 120;
	assert_true(checks_drift(samples, MANY, 9.9, scratch, &smallest, &largest));
	assert_false(checks_drift(samples, MANY, 10, scratch, &smallest, &largest));
	assert_true(checks_drift(samples, MANY, 1, scratch, &smallest, &largest));
	for (size_t n = 0; n < 256; n++)
		assert_false(checks_drift(samples, n, 1, scratch, &smallest, &largest));
}

/* The samples may be anything. */
TEST(random_bits)
{
	for (int try = 0; try < 500; try++) {
		const size_t n = (size_t)(unit_random() % 400);
		double a, b;

		for (size_t i = 0; i < n; i++) {
			const uint64_t bits = unit_random();

			memcpy(&samples[i], &bits, sizeof bits);
		}
		assert_true(!checks_halves(samples, n, 1, scratch, &a, &b) || a != b);
		assert_true(!checks_drift(samples, n, 1, scratch, &a, &b) || a < b);
	}
}

UNIT_MAIN_OF_SEED(SIMULATE_SEED, "checks", NULL, NULL)
