/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "simulate.h"
#include "step.h"

#define MANY 4096

static double differences[MANY];

static void expect_rounded_step(double expected, size_t n, double rounding, const char *what)
{
	const double step = step_find(differences, n, rounding);

	if (!(fabs(step - expected) <= expected * 0.005))
		fail_msg("%s: step %.9g, expected %.9g", what, step, expected);
}

static void expect_step(double expected, size_t n, const char *what)
{
	expect_rounded_step(expected, n, 0, what);
}

TEST(few_known_differences)
{
	static const double epyc[] = { 0, 24, 25, 49, 73, 98 };

	memcpy(differences, epyc, sizeof epyc);
	expect_step(24.45, N(epyc), "six of an EPYC");
}

/* Counts of a counter that moves by step and is read as a whole number, around works that last so
 * long, mostly: one in a hundred takes much longer. In the end each count becomes a whole number of
 * parts of a unit. */
static void draw_in_parts(double parts, double step, double shortest, double longest, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const double begin = floor(1e6 * simulate_part());
		const bool interrupted = simulate_part() < 0.01;
		const double length = (shortest + (longest - shortest) * simulate_part()) *
				      (interrupted ? 50 : 1) / step;
		const double end = floor(begin + simulate_part() + length);

		differences[i] =
			(floor(floor(end * step) * parts) - floor(floor(begin * step) * parts)) /
			parts;
	}
}

static void draw(double step, double shortest, double longest, size_t n)
{
	draw_in_parts(1, step, shortest, longest, n);
}

TEST(counters_as_they_are)
{
	static const struct {
		const char *name;
		double step, shortest, longest;
	} table[] = {
		{ "TSC that moves by 24.45", 24.45, 20, 400 },
		{ "the same, pairs only", 24.45, 20, 30 },
		{ "25 MHz scaled to 3 GHz", 120, 30, 600 },
		{ "the same, pairs only", 120, 30, 32 },
		{ "24 MHz in ns", 1e9 / 24e6, 10, 300 },
		{ "1 MHz in ns", 1000, 30, 5000 },
		{ "the same, long works", 1000, 20000, 50000 },
		{ "4 ms in ns", 4e6, 30000, 2e7 },
		{ "100 MHz in ns", 10, 20, 300 },
		{ "TSC that moves by 2", 2, 20, 300 },
		{ "moves by 3", 3, 20, 300 },
		{ "moves by 4", 4, 20, 300 },
		{ "moves by 5", 5, 20, 300 },
		{ "moves by 1", 1, 20, 300 },
		{ "ns clock, 20 to 30", 1, 20, 30 },
		{ "ns clock, 20 to 25", 1, 20, 25 },
		{ "moves by 1, long works", 1, 100000, 900000 },
	};
	static const size_t sizes[] = { 4096, 1000, 300 };

	for (size_t s = 0; s < N(sizes); s++) {
		for (size_t i = 0; i < N(table); i++) {
			draw(table[i].step, table[i].shortest, table[i].longest, sizes[s]);
			expect_step(table[i].step, sizes[s], table[i].name);
		}
	}
}

/* An operating system's clock whose nanoseconds come as counts of another rate. */
TEST(clocks_in_other_units)
{
	static const double hz[] = { 2.596128e9, 1.5e9, 1.1e9, 9e8, 3.7e9 };
	static const struct {
		const char *name;
		double step;
	} table[] = {
		{ "clock that moves by 10", 10 },
		{ "by 24.45", 24.45 },
		{ "by 41.67", 1e9 / 24e6 },
		{ "by 1000", 1000 },
	};

	for (size_t h = 0; h < N(hz); h++) {
		for (size_t i = 0; i < N(table); i++) {
			draw_in_parts(hz[h] / 1e9, table[i].step, 2 * table[i].step,
				      9 * table[i].step, 1000);
			expect_rounded_step(table[i].step, 1000, 1e9 / hz[h], table[i].name);
		}
	}
	/* One that moves by 1 has no larger step than its counts have. */
	draw_in_parts(2.6, 1, 20, 300, 1000);
	expect_rounded_step(1, 1000, 1 / 2.6, "clock that moves by 1");
}

/* One in 200 is wrong, also by stepping back. */
/* Whole nanoseconds of whole ticks of a register, which moves by 24.5 of them. */
static double clock_at(double steps)
{
	return floor(floor(steps * 24.5) * 0.409);
}

TEST(a_clock_of_whole_ticks)
{
	for (int tries = 0; tries < 100; tries++) {
		for (size_t i = 0; i < 1024; i++) {
			const double begin = floor(1e6 * simulate_part());

			differences[i] =
				clock_at(begin + floor(2 + 10 * simulate_part())) - clock_at(begin);
		}
		expect_rounded_step(24.5 * 0.409, 1024, 1, "a clock of whole ticks");
	}
}

TEST(some_do_not_fit)
{
	static const double wrong[] = { -1, -5000, 7, 61, NAN, INFINITY };

	for (size_t w = 0; w < N(wrong); w++) {
		draw(24.45, 20, 400, MANY);
		for (size_t i = 100; i < MANY; i += 200)
			differences[i] = wrong[w];
		expect_step(24.45, MANY, "with one in 200 wrong");
	}
	draw(24.45, 20, 400, MANY);
	for (size_t i = 0; i < MANY; i += 20)
		differences[i] = -1;
	expect_step(1, MANY, "with one in 20 wrong");
}

/* Any part of the one difference may be the step. */
TEST(equal_differences_show_no_step)
{
	static const double others[] = { 33, 37, 43, 58, 62, 68 };

	for (double value = 1; value < 1e6; value = value * 3 + 1) {
		for (size_t i = 0; i < MANY; i++)
			differences[i] = value;
		expect_step(1, MANY, "all equal");
	}
	/* Mostly one value, its neighbours, and interrupts of any length. */
	for (size_t i = 0; i < MANY; i++) {
		const double part = simulate_part();

		differences[i] = part < 0.9   ? 25 :
				 part < 0.995 ? 24 + floor(3 * simulate_part()) :
						floor(5000 * simulate_part());
	}
	expect_step(1, MANY, "25 and its neighbours");
	/* Most of the others do not fit, although 99 % of all do. */
	for (size_t i = 0; i < MANY; i++)
		differences[i] = i < 30 ? others[i % N(others)] : i < 36 ? 50 : 25;
	expect_step(1, MANY, "25, and others of which few fit");
	/* But differences of 0 beside one value show that nothing is in between. */
	for (size_t i = 0; i < MANY; i++)
		differences[i] = simulate_part() < 0.5 ? 0 : 42;
	expect_step(42, MANY, "0 and 42");
}

TEST(few_or_none)
{
	static const double one[] = { 42 }, two[] = { 42, 84 }, back[] = { -3, 0, -NAN };

	assert_true(step_find(differences, 0, 0) == 0);
	memcpy(differences, one, sizeof one);
	expect_step(1, 1, "one");
	memcpy(differences, two, sizeof two);
	expect_step(1, 2, "two");
	memcpy(differences, back, sizeof back);
	assert_true(step_find(differences, N(back), 0) == 0);
	memset(differences, 0, sizeof differences);
	differences[5] = 42;
	expect_step(1, 50, "one beside zeros");
	memset(differences, 0, sizeof differences);
	assert_true(step_find(differences, MANY, 0) == 0);
}

/* A wrong difference may be the one whose parts are tried first. Then parts of a later one show the
 * step, and not a part of it. */
TEST(a_wrong_origin)
{
	static const double shortest[] = { 24, 24, 25, 25, 31 };

	for (size_t i = 0; i < 400; i++)
		differences[i] = i < N(shortest) ? shortest[i] : floor((double)(2 + i % 9) * 24.45);
	expect_step(24.45, 400, "one of the shortest is wrong");
}

/* Few differences of a counter that moves by 1 seldom look like a step, also where they are so few
 * that some step or other fits them. */
TEST(chance_makes_no_step)
{
	static const struct {
		const char *what;
		size_t n; /* at most */
		unsigned shortest, others;
		double promised;
	} table[] = {
		{ "a step by chance", 62, 20, 200, 0.005 },
		{ "a step by chance, of very few", 8, 100, 1000, 0.005 },
	};

	for (size_t t = 0; t < N(table); t++) {
		size_t wrong = 0;

		for (int try = 0; try < 1000; try++) {
			const size_t n = 3 + (size_t)unit_random() % (table[t].n - 2);

			for (size_t i = 0; i < n; i++)
				differences[i] = table[t].shortest +
						 (double)(unit_random() % table[t].others);
			wrong += step_find(differences, n, 0) > 1;
		}
		simulate_at_most(wrong, 1000, table[t].promised, table[t].what);
	}
}

/* Few differences of a coarse counter are enough, because chance makes few of them fit. */
TEST(few_show_a_large_step)
{
	for (size_t i = 0; i < 5; i++)
		differences[i] = 1000 * (double)(1 + i * i);
	expect_step(1000, 5, "five of a clock of microseconds");
	for (size_t i = 0; i < 8; i++)
		differences[i] = 5 * (double)(7 + 2 * i);
	expect_step(1, 8, "eight that move by 5");
	for (size_t i = 0; i < 60; i++)
		differences[i] = 5 * (double)(7 + 2 * i % 77);
	expect_step(5, 60, "sixty that move by 5");
}

/* The array may hold anything. */
TEST(random_bits)
{
	for (int try = 0; try < 100; try++) {
		const size_t n = (size_t)(unit_random() % 100);
		double step;

		for (size_t i = 0; i < n; i++) {
			const uint64_t bits = unit_random();

			if (try % 2)
				memcpy(&differences[i], &bits, sizeof bits);
			else
				differences[i] = (double)unit_random_bits(60);
		}
		step = step_find(differences, n, try % 3 * 0.4);
		assert_true(step == 0 || step >= 1);
	}
}

UNIT_MAIN_OF_SEED(SIMULATE_SEED, "step", NULL, NULL)
