/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "os/clock.h"
#include "os/ticks.h"

#ifdef __SIZEOF_INT128__
#define HAVE_WIDE
__extension__ typedef unsigned __int128 wide;
#endif

/* The same header, as compiled without 128-bit integers. */
#undef __SIZEOF_INT128__
#undef CPUCYCLES_SCALE_H
#define scale_multiply portable_multiply
#define scale_multiplier portable_multiplier
#include "scale.h"
#undef scale_multiply
#undef scale_multiplier

#define ROUNDS 200000
#define NS_PER_S UINT64_C(1000000000)

/* A random time of a clock: up to four years since boot, and up to 2^56 ns. */
static uint64_t random_ns(void)
{
	return unit_random() >> (8 + unit_random() % 50);
}

static struct ratio random_per_ns(void)
{
	uint64_t persecond = 1000 + unit_random() % (100 * NS_PER_S - 999);

	return (struct ratio){ persecond, NS_PER_S };
}

#ifdef HAVE_WIDE
TEST(multiply_is_exact)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t a = unit_random_bits(64), b = unit_random_bits(64);
		unsigned shift = 1 + (unsigned)(unit_random() % 63);
		uint64_t exact = (uint64_t)((wide)a * b >> shift);

		assert_int_equal(scale_multiply(a, b, shift), exact);
		assert_int_equal(portable_multiply(a, b, shift), exact);
	}
}

TEST(multiplier_is_rounded_up)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct ratio r = random_per_ns();
		wide scaled = (wide)r.num << SCALE_CLOCK_SHIFT;
		uint64_t exact = (uint64_t)((scaled + r.den - 1) / r.den);

		assert_int_equal(scale_multiplier(r, SCALE_CLOCK_SHIFT), exact);
		assert_int_equal(portable_multiplier(r, SCALE_CLOCK_SHIFT), exact);
	}
}

/* The result is never too small, at most one cycle too large, and exact if the true value is
 * whole. */
TEST(clocks_become_cycles)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct ratio r = random_per_ns();
		uint64_t ns = random_ns(), m = scale_multiplier(r, SCALE_CLOCK_SHIFT);
		uint64_t exact = (uint64_t)((wide)ns * r.num / r.den);
		uint64_t seconds = unit_random() % 100000000;

		unit_in_range(scale_multiply(ns, m, SCALE_CLOCK_SHIFT), exact, exact + 1);
		assert_int_equal(scale_multiply(seconds * NS_PER_S, m, SCALE_CLOCK_SHIFT),
				 seconds * r.num);
	}
}
#endif

TEST(extremes)
{
	const uint64_t most = UINT64_MAX;

	assert_int_equal(scale_multiply(most, most, 63), portable_multiply(most, most, 63));
	assert_int_equal(portable_multiply(UINT64_C(1) << 63, 2, 1), UINT64_C(1) << 63);
	assert_int_equal(portable_multiply(UINT64_C(0xffffffff), UINT64_C(0xffffffff), 32),
			 UINT64_C(0xfffffffe));
	assert_int_equal(portable_multiply(most, 0, 57), 0);
	assert_int_equal(scale_multiplier((struct ratio){ 1, 1 }, 57), UINT64_C(1) << 57);
	assert_int_equal(scale_multiplier((struct ratio){ 1, 3 }, 2), 2);
	assert_int_equal(scale_multiplier((struct ratio){ 1024, 1 }, 57), most);
	assert_int_equal(scale_multiplier((struct ratio){ most, 1 }, 1), most);
}

TEST(known_clocks)
{
	uint64_t m = scale_multiplier((struct ratio){ 1400000000, NS_PER_S }, SCALE_CLOCK_SHIFT);

	assert_int_equal(scale_multiply(10, m, SCALE_CLOCK_SHIFT), 14);
	assert_int_equal(scale_multiply(5 * NS_PER_S, m, SCALE_CLOCK_SHIFT), UINT64_C(7000000000));
	m = scale_multiplier((struct ratio){ 3000000000, NS_PER_S }, SCALE_CLOCK_SHIFT);
	assert_int_equal(scale_multiply(123456789, m, SCALE_CLOCK_SHIFT), 370370367);
}

/* The product of ticks and a multiplier of TICKS_SHIFT keeps its lower 64 bits, with and without
 * 128-bit integers. */
TEST(ticks_become_cycles)
{
	for (int i = 0; i < ROUNDS; i++) {
		/* From 100 GHz at 1 kHz down to one 1,024th. */
		struct ratio r = { 1 + unit_random() % 100000000000,
				   UINT64_C(1) << unit_random() % 11 };
		uint64_t m = scale_multiplier(r, TICKS_SHIFT), ticks = unit_random_bits(64);
		uint64_t whole = ticks / r.den * r.num, rest = ticks % r.den * r.num / r.den;

		assert_int_equal(m, r.num * (1024 / r.den));
		assert_int_equal(scale_multiply(ticks, m, TICKS_SHIFT), whole + rest);
		assert_int_equal(portable_multiply(ticks, m, TICKS_SHIFT), whole + rest);
	}
}

TEST(monotonic)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t m = scale_multiplier(random_per_ns(), SCALE_CLOCK_SHIFT);
		uint64_t ns = random_ns(), later = ns + unit_random() % 10;

		assert_true(scale_multiply(later, m, SCALE_CLOCK_SHIFT) >=
			    scale_multiply(ns, m, SCALE_CLOCK_SHIFT));
		assert_true(portable_multiply(later, m, SCALE_CLOCK_SHIFT) >=
			    portable_multiply(ns, m, SCALE_CLOCK_SHIFT));
	}
}

/* Seconds and the rest are scaled apart. This is as exact, and does not fall at a second's end. */
TEST(times_become_cycles)
{
	for (int i = 0; i < ROUNDS; i++) {
		struct ratio r = random_per_ns();
		uint64_t m = scale_multiplier(r, SCALE_CLOCK_SHIFT), exact;
		uint64_t second = unit_random() % 90000000;
		struct timespec t = { (time_t)second, (long)(unit_random() % NS_PER_S) };
		struct timespec last = { (time_t)second, NS_PER_S - 1 },
				next = { (time_t)second + 1, 0 };
		uint64_t got = (uint64_t)clock_time_cycles(&t, &r.num, &m);

		exact = second * r.num + scale_multiply((uint64_t)t.tv_nsec, m, SCALE_CLOCK_SHIFT);
		assert_int_equal(got, exact);
		assert_int_equal(clock_time_cycles(&next, &r.num, &m), (second + 1) * r.num);
		assert_true(clock_time_cycles(&last, &r.num, &m) <
			    clock_time_cycles(&next, &r.num, &m));
		assert_true(clock_time_cycles(&last, &r.num, &m) >= (long long)got);
		/* It differs from the other readers of the clock by one cycle at most. */
		exact = scale_multiply(clock_ns(&t), m, SCALE_CLOCK_SHIFT);
		unit_in_range(got + 1, exact, exact + 1);
	}
}

/* Time may seem to have gone back, and the cycles do not. */
TEST(cycles_since)
{
	for (int i = 0; i < ROUNDS; i++) {
		const uint64_t m = scale_multiplier(random_per_ns(), SCALE_CLOCK_SHIFT);
		const uint64_t start = random_ns(), ns = random_ns();

		assert_int_equal(clock_cycles_since(start, start + ns, &m), clock_cycles(ns, &m));
		assert_int_equal(clock_cycles_since(start + 1 + ns, start, &m), 0);
	}
}

UNIT_MAIN_SEEDED("scale", NULL, NULL)
