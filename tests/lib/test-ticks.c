/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "os/ticks.h"

#include <errno.h>

#define ROUNDS 200000

/* Ticks to cycles */

static uint64_t multiplier_of(struct ratio scaling)
{
	const struct counter_conditions conditions = { 2400000000, scaling, false };

	return ticks_multiplier(&conditions);
}

/* A scaling as the rule finds it: the denominator divides 1024. */
static struct ratio random_scaling(void)
{
	return (struct ratio){ 1 + unit_random_bits(20), UINT64_C(1) << unit_random() % 11 };
}

TEST(known_ticks)
{
	uint64_t m = multiplier_of((struct ratio){ 307, 8 });

	assert_int_equal(ticks_cycles(0, &m), 0);
	assert_int_equal(ticks_cycles(8, &m), 307);
	assert_int_equal(ticks_cycles(1, &m), 38);
	assert_int_equal(ticks_cycles(UINT64_C(8000000000000), &m), INT64_C(307000000000000));
	m = multiplier_of((struct ratio){ 1, 16 });
	assert_int_equal(ticks_cycles(15, &m), 0);
	assert_int_equal(ticks_cycles(16, &m), 1);
	assert_int_equal(ticks_cycles(UINT64_MAX, &m), INT64_MAX >> 3);
	m = multiplier_of((struct ratio){ 213, 64 });
	assert_int_equal(ticks_cycles(1000000000, &m), INT64_C(3328125000));
	m = multiplier_of((struct ratio){ 1, 1024 });
	assert_int_equal(ticks_cycles(1023, &m), 0);
	assert_int_equal(ticks_cycles(1024, &m), 1);
	/* 100 GHz and 1 kHz: the largest scaling, for a year. */
	m = multiplier_of((struct ratio){ 100000000, 1 });
	assert_int_equal(ticks_cycles(UINT64_C(31536000000), &m), INT64_C(3153600000000000000));
}

/* For the counts of 100 years and more. */
TEST(differences_are_exact)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct ratio r = random_scaling();
		uint64_t m = multiplier_of(r), ticks = unit_random_bits(64);
		uint64_t passed = unit_random_bits(42), exact = passed * r.num / r.den, got;

		if (ticks + passed < ticks)
			continue;
		got = (uint64_t)ticks_cycles(ticks + passed, &m) -
		      (uint64_t)ticks_cycles(ticks, &m);
		unit_in_range(got, exact, exact + 1);
	}
}

/* The count goes on where it passes 2^63 and 2^64. */
TEST(passes_the_ends)
{
	for (int i = 0; i < 1000; i++) {
		struct ratio r = random_scaling();
		uint64_t m = multiplier_of(r), end = UINT64_MAX / r.num * r.den;
		uint64_t ticks = (i & 1 ? end / 2 : end) - 50;

		if (r.num <= r.den || ticks > UINT64_MAX - 100)
			continue;
		for (int j = 0; j < 100; j++, ticks++) {
			uint64_t step = (uint64_t)ticks_cycles(ticks + 1, &m) -
					(uint64_t)ticks_cycles(ticks, &m);

			unit_in_range(step, r.num / r.den, r.num / r.den + 1);
		}
	}
}

/* Rates that are measured */

TEST(rates_of_pairs)
{
	static const struct {
		struct ticks_pair first, last;
		unsigned width;
		uint64_t hz;
	} cases[] = {
		{ { 0, 1000, 100 }, { 100000, 4001000, 100 }, 64, 25000000 },
		{ { 100, 1000, 1000 }, { 100100, 4001000, 0 }, 64, 25000000 },
		{ { UINT64_MAX, 0, 0 }, { 99999, 4000000, 0 }, 64, 25000000 },
		{ { UINT32_MAX, 0, 0 }, { 99999, 4000000, 0 }, 32, 25000000 },
		{ { 0, 0, 0 }, { 8000, 4000000, 0 }, 64, 2000000 },
		{ { 0, 0, 0 }, { 7999, 4000000, 0 }, 64, 0 },         /* too few ticks */
		{ { 0, 0, 500 }, { 100000, 4000000, 501 }, 64, 0 },   /* the clock is too coarse */
		{ { 0, 0, 0 }, { 0, 4000000, 0 }, 64, 0 },            /* the counter stands still */
		{ { 0, 4000000, 0 }, { 100000, 4000000, 0 }, 64, 0 }, /* the clock stands still */
		{ { 0, 4000000, 0 }, { 100000, 3999999, 0 }, 64, 0 }, /* the clock runs backwards */
		{ { 9, 0, 0 }, { 8, 4000000, 0 }, 64, 0 },
		{ { 0, 0, 0 }, { UINT64_MAX, 4000000, 0 }, 64, 0 },
		{ { 0, 0, 0 }, { UINT64_C(400000001), 4000000, 0 }, 64, 0 }, /* above 100 GHz */
		/* Cut off at 64 bits, the rate would be 25 MHz. */
		{ { 0, 0, 0 }, { UINT64_C(18446844074), 4000000, 0 }, 64, 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		const struct ticks_source source = { NULL, cases[i].width };
		uint64_t hz = ticks_rate(&source, &cases[i].first, &cases[i].last, TICKS_PARTS);

		if (hz != cases[i].hz)
			fail_msg("case %zu: got %llu, expected %llu", i, (unsigned long long)hz,
				 (unsigned long long)cases[i].hz);
	}
}

/* A counter made of the clock. If stop_each is set, some of its reads stop the thread for longer
 * than the window, before or after they look at the clock. */
static uint64_t made_hz;
static unsigned made_width, stop_each, reads;

static uint64_t made_read(void)
{
	const struct timespec stop = { 0, 5000000 };
	struct timespec now;
	uint64_t ticks;

	reads++;
	if (stop_each && reads % stop_each == 0)
		nanosleep(&stop, NULL);
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (stop_each && reads % stop_each == 1)
		nanosleep(&stop, NULL);
	ticks = (uint64_t)now.tv_sec * made_hz + (uint64_t)now.tv_nsec * (made_hz / 1000) / 1000000;
	return ticks & UINT64_MAX >> (64 - made_width);
}

/* A loaded machine may make every pair too wide. Then there is no rate, but never a wrong one. */
static void expect_measured(uint64_t hz, unsigned width, uint64_t least_ns, uint64_t parts)
{
	const struct ticks_source source = { made_read, width };
	uint64_t got = 0;
	int error = -1;

	made_hz = hz;
	made_width = width;
	for (int i = 0; i < 20 && error; i++)
		error = ticks_measure(&source, least_ns, parts, &got);
	assert_int_equal(error, 0);
	if (got < hz - hz / parts || got > hz + hz / parts)
		fail_msg("got %llu, expected %llu", (unsigned long long)got,
			 (unsigned long long)hz);
}

TEST(measures)
{
	stop_each = 0;
	expect_measured(1000000, 64, TICKS_WINDOW_NS, TICKS_PARTS);
	expect_measured(62500000, 64, TICKS_WINDOW_NS, TICKS_PARTS);
	expect_measured(4096000000, 64, TICKS_WINDOW_NS, TICKS_PARTS);
	expect_measured(4096000000, 32, 200000, 100);
	expect_measured(5000, 64, 200000, 100); /* in a longer window */
}

TEST(measures_while_it_is_stopped)
{
	stop_each = 5;
	expect_measured(62500000, 64, TICKS_WINDOW_NS, TICKS_PARTS);
	expect_measured(1000000000, 32, 200000, 100);
	stop_each = 0;
}

static uint64_t read_nothing(void)
{
	return 42;
}

TEST(measures_nothing)
{
	const struct ticks_source source = { read_nothing, 64 };
	uint64_t hz;

	assert_int_equal(ticks_measure(&source, 200000, 100, &hz), -ERANGE);
}

UNIT_MAIN_SEEDED("ticks", NULL, NULL)
