/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The conversion of counts to time, and the choice of a counter's rate. */

#include "config.h"

#include "unit.h"
#include "choose.h"
#include "rate.h"

#define ROUNDS 200000
#define NS_PER_S UINT64_C(1000000000)

/* Every rate that can be an answer, and the one of this kind that is the largest. */
static uint64_t random_hz(void)
{
	switch (unit_random() % 4) {
	case 0:
		return RATE_SANE_MIN_HZ + unit_random() % (RATE_SANE_MAX_HZ - RATE_SANE_MIN_HZ + 1);
	case 1:
		return 1 + unit_random() % RATE_MAX_HZ;
	case 2:
		return unit_random_bits(47) + 1;
	}
	return 1 + unit_random() % 6 * NS_PER_S / 2;
}

#ifdef __SIZEOF_INT128__
static long long reference(long long difference, uint64_t hz)
{
	__extension__ typedef __int128 wide;
	wide ns = (wide)difference * NS_PER_S / (wide)hz;

	if (ns > LLONG_MAX)
		return LLONG_MAX;
	return ns < LLONG_MIN ? LLONG_MIN : (long long)ns;
}

TEST(as_with_128_bits)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t hz = random_hz();
		long long d = (long long)unit_random_bits(64);

		if (rate_nanoseconds(d, hz) != reference(d, hz))
			fail_msg("%lld at %llu Hz: got %lld, expected %lld", d,
				 (unsigned long long)hz, rate_nanoseconds(d, hz), reference(d, hz));
	}
}
#endif

/* Cases without rounding, with and without 128-bit integers. */
TEST(whole_seconds)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t hz =
			RATE_SANE_MIN_HZ + unit_random() % (RATE_SANE_MAX_HZ - RATE_SANE_MIN_HZ);
		uint64_t seconds = unit_random() % (LLONG_MAX / hz);
		long long counts = (long long)(seconds * hz);
		long long expected = seconds > LLONG_MAX / NS_PER_S ?
					     LLONG_MAX :
					     (long long)(seconds * NS_PER_S);

		assert_int_equal(rate_nanoseconds(counts, hz), expected);
	}
}

/* A long double has 64 bits at least on x86 and ARM64; elsewhere it may have 53. */
TEST(as_with_floating_point)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t hz = random_hz();
		long long d = (long long)(unit_random() >> (2 + unit_random() % 60));
		long double exact = (long double)d * 1e9L / (long double)hz;
		long double off = exact - (long double)rate_nanoseconds(d, hz);

		if (exact < 9.2e18L && (off < -1 - exact * 1e-15L || off > 1 + exact * 1e-15L))
			fail_msg("%lld at %llu Hz: off by %Lg", d, (unsigned long long)hz, off);
	}
}

TEST(sign_is_kept)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t hz = random_hz();
		long long d = (long long)(unit_random() >> 1), ns = rate_nanoseconds(d, hz);

		assert_true(ns >= 0);
		assert_int_equal(rate_nanoseconds(-d, hz), ns == LLONG_MAX ? LLONG_MIN : -ns);
	}
}

TEST(never_falls)
{
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t hz = random_hz();
		long long d = (long long)unit_random_bits(63) - (long long)unit_random_bits(63);

		assert_true(rate_nanoseconds(d, hz) <= rate_nanoseconds(d + 1, hz));
	}
}

TEST(cut_towards_zero)
{
	assert_int_equal(rate_nanoseconds(0, 1), 0);
	assert_int_equal(rate_nanoseconds(2, 3 * NS_PER_S), 0);
	assert_int_equal(rate_nanoseconds(-2, 3 * NS_PER_S), 0);
	assert_int_equal(rate_nanoseconds(5, 3 * NS_PER_S), 1);
	assert_int_equal(rate_nanoseconds(-5, 3 * NS_PER_S), -1);
	assert_int_equal(rate_nanoseconds(1, 1), 1000000000);
	assert_int_equal(rate_nanoseconds(2399987654, 2399987654), 1000000000);
	assert_int_equal(rate_nanoseconds(2399987653, 2399987654), 999999999);
}

TEST(extremes)
{
	assert_int_equal(rate_nanoseconds(LLONG_MAX, NS_PER_S), LLONG_MAX);
	assert_int_equal(rate_nanoseconds(LLONG_MIN, NS_PER_S), LLONG_MIN);
	assert_int_equal(rate_nanoseconds(LLONG_MIN + 1, NS_PER_S), LLONG_MIN + 1);
	assert_int_equal(rate_nanoseconds(LLONG_MAX, NS_PER_S - 1), LLONG_MAX);
	assert_int_equal(rate_nanoseconds(LLONG_MIN, NS_PER_S - 1), LLONG_MIN);
	assert_int_equal(rate_nanoseconds(LLONG_MAX, 1), LLONG_MAX);
	assert_int_equal(rate_nanoseconds(LLONG_MIN, 1), LLONG_MIN);
	assert_int_equal(rate_nanoseconds(LLONG_MAX, 3 * NS_PER_S), LLONG_MAX / 3);
	assert_int_equal(rate_nanoseconds(LLONG_MIN, 3 * NS_PER_S), LLONG_MIN / 3);
	assert_int_equal(rate_nanoseconds(LLONG_MAX, RATE_MAX_HZ), 50000000000000);
	/* 292 years at 1 kHz: the last number of ns that fits, and the first that does not. */
	assert_int_equal(rate_nanoseconds(9223372036854, 1000), 9223372036854000000);
	assert_int_equal(rate_nanoseconds(9223372036855, 1000), LLONG_MAX);
	assert_int_equal(rate_nanoseconds(-9223372036855, 1000), LLONG_MIN);
}

/* The choice of the rate */

static struct counter counter_of(enum counter_class class)
{
	return (struct counter){ .name = "test", .class = class, .width = 64 };
}

static struct rate rate_of(enum counter_class class, uint64_t hz, struct ratio scaling,
			   struct rate measured, struct persecond persecond)
{
	struct counter counter = counter_of(class);
	struct candidate c = {
		.counter = &counter, .hz = hz, .scaling = scaling, .measured = measured
	};

	return choose_rate(&c, &persecond);
}

static void expect_rate(struct rate got, uint64_t hz, uint32_t ppm)
{
	assert_int_equal(got.hz, hz);
	assert_int_equal(got.ppm, ppm);
}

#define NOT_MEASURED ((struct rate){ 0, 0 })
#define MEASURED ((struct rate){ 1999999123, 3 })
#define ONE ((struct ratio){ 1, 1 })
#define NOMINAL ((struct persecond){ 2000000000, PERSECOND_CPUINFO_MHZ })

TEST(clocks_are_exact)
{
	struct ratio per_ns = { 2000000000, NS_PER_S };

	expect_rate(rate_of(COUNTER_OS_CLOCK, NS_PER_S, per_ns, NOT_MEASURED, NOMINAL), 2000000000,
		    0);
	expect_rate(rate_of(COUNTER_OS_CLOCK, NS_PER_S, per_ns, MEASURED, NOMINAL), 2000000000, 0);
}

TEST(cores_have_no_rate)
{
	expect_rate(rate_of(COUNTER_ON_CORE, 0, ONE, NOT_MEASURED, NOMINAL), 0, 0);
	expect_rate(rate_of(COUNTER_ON_CORE, 0, ONE, MEASURED, NOMINAL), 0, 0);
	expect_rate(rate_of(COUNTER_KERNEL_COUNT, 0, ONE, MEASURED, NOMINAL), 0, 0);
	expect_rate(rate_of(COUNTER_LAST_RESORT, 0, ONE, MEASURED, NOMINAL), 0, 0);
}

TEST(measured_comes_before_told)
{
	expect_rate(rate_of(COUNTER_OFF_CORE, 0, ONE, MEASURED, NOMINAL), 1999999123, 3);
	expect_rate(rate_of(COUNTER_OFF_CORE, 62500000, (struct ratio){ 32, 1 }, MEASURED, NOMINAL),
		    1999999123, 3);
}

TEST(told_is_scaled)
{
	expect_rate(rate_of(COUNTER_OFF_CORE, 62500000, (struct ratio){ 32, 1 }, NOT_MEASURED,
			    NOMINAL),
		    2000000000, RATE_TOLD_PPM);
	expect_rate(rate_of(COUNTER_OFF_CORE, 19200001, (struct ratio){ 75, 16 }, NOT_MEASURED,
			    NOMINAL),
		    90000005, RATE_TOLD_PPM); /* 90000004.69 */
	expect_rate(rate_of(COUNTER_OFF_CORE, 0, ONE, NOT_MEASURED, NOMINAL), 0, 0);
}

TEST(sources_that_speak_of_the_tsc)
{
	struct persecond tsc = { 2000000000, PERSECOND_CPUID_TSC };

	expect_rate(rate_of(COUNTER_OFF_CORE, 0, ONE, NOT_MEASURED, tsc), 2000000000,
		    RATE_TOLD_PPM);
	expect_rate(rate_of(COUNTER_OFF_CORE, 0, ONE, MEASURED, tsc), 1999999123, 3);
	expect_rate(rate_of(COUNTER_ON_CORE, 0, ONE, NOT_MEASURED, tsc), 0, 0);
	tsc.source = PERSECOND_CPUID_BASE;
	expect_rate(rate_of(COUNTER_OFF_CORE, 0, ONE, NOT_MEASURED, tsc), 0, 0);
	tsc.source = PERSECOND_MEASURED;
	expect_rate(rate_of(COUNTER_OFF_CORE, 0, ONE, NOT_MEASURED, tsc), 0, 0);
}

UNIT_MAIN_SEEDED("rate", NULL, NULL)
