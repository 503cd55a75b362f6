/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "simulate.h"
#include "units.h"

#define N(array) (sizeof(array) / sizeof(array)[0])
#define UNITS_MAX 400
#define ERROR 0.005

static double units[UNITS_MAX], scratch[UNITS_SCRATCH(UNITS_MAX)];

static struct units_verdict judge(size_t n, double error)
{
	struct units_verdict verdict;

	memset(&verdict, 0xff, sizeof verdict);
	units_judge(units, n, error, scratch, &verdict);
	return verdict;
}

static void expect_near(double got, double expected, const char *what)
{
	if (!(fabs(got - expected) < 1e-9))
		fail_msg("%s: %.12g, expected %.12g", what, got, expected);
}

/* 10 units of one sign are rare enough: 2 * 2^-10. With the interval go all means of two. */
static void known_verdicts(void **state)
{
	struct units_verdict verdict;

	(void)state;
	for (size_t i = 0; i < 10; i++)
		units[i] = 0.01 * (double)(i + 1);
	verdict = judge(10, 0.0025);
	assert_int_equal(verdict.kind, VERDICT_SLOWER);
	expect_near(verdict.ratio, exp(0.055), "ratio");
	expect_near(verdict.low, exp(0.01), "low");
	expect_near(verdict.high, exp(0.10), "high");
	assert_int_equal(verdict.units_needed, 0);
	for (size_t i = 0; i < 10; i++)
		units[i] = -units[i];
	verdict = judge(10, 0.0025);
	assert_int_equal(verdict.kind, VERDICT_FASTER);
	expect_near(verdict.low, exp(-0.10), "low of the opposite");
	expect_near(verdict.high, exp(-0.01), "high of the opposite");
}

/* 9 units, a unit of the other sign, and one that is 0. */
static void one_unit_decides(void **state)
{
	(void)state;
	for (size_t i = 0; i < 10; i++)
		units[i] = 0.01 * (double)(i + 1);
	assert_int_equal(judge(9, 0.0025).kind, VERDICT_CANNOT_TELL);
	assert_int_equal(judge(9, 0.0025).units_needed, 10);
	for (int other = 0; other < 2; other++) {
		units[0] = -0.001 * other;
		assert_int_equal(judge(10, 0.0025).kind, VERDICT_CANNOT_TELL);
	}
}

static void few_or_equal_units(void **state)
{
	(void)state;
	for (size_t n = 0; n < 10; n++) {
		const struct units_verdict verdict = judge(n, 0.0025);

		assert_int_equal(verdict.kind, VERDICT_CANNOT_TELL);
		assert_true(verdict.low == 0 && isinf(verdict.high));
		assert_int_equal(verdict.units_needed, 10);
		assert_true(n > 0 || isnan(verdict.ratio));
	}
	memset(units, 0, sizeof units);
	assert_int_equal(judge(50, 0.0025).kind, VERDICT_CANNOT_TELL);
	assert_true(judge(50, 0.0025).ratio == 1);
	assert_int_equal(judge(50, 0.0025).units_needed, 0);
	assert_int_equal(judge(3, 0).units_needed, VERDICT_BLOCKS_MAX);
	for (size_t i = 0; i < 50; i++)
		units[i] = 1e-12 + ((double)(i % 3) - 1) / 2;
	assert_int_equal(judge(50, 0.0025).units_needed, VERDICT_BLOCKS_MAX);
}

static double normal(size_t i)
{
	(void)i;
	return 0.01 * simulate_normal();
}

static double heavy(size_t i)
{
	(void)i;
	return 0.01 * simulate_cauchy();
}

/* A memory that lies well or badly in one process of five, for one of the functions. */
static double bimodal(size_t i)
{
	const double side = simulate_part();

	(void)i;
	return (side < 0.1 ? 0.05 : side < 0.2 ? -0.05 : 0) + 0.001 * simulate_normal();
}

/* Coarse counts: most processes see no difference. */
static double quantised(size_t i)
{
	(void)i;
	return 0.01 * floor(simulate_normal() + 0.5);
}

static const struct simulate_series series[] = { { "normal", normal },
						 { "heavy-tailed", heavy },
						 { "bimodal", bimodal },
						 { "quantised", quantised } };

/* Look as the tool does, and stop at the first verdict. 0: there is none. Else at how many units.
 */
static size_t told_at(double (*draw)(size_t i), double shift, double error, unsigned looks,
		      struct units_verdict *verdict)
{
	size_t n = 0;

	for (unsigned look = 1; look <= looks; look++) {
		for (; n < verdict_due(error, look); n++)
			units[n] = shift + draw(n);
		*verdict = judge(n, verdict_share(error, look));
		if (verdict->kind != VERDICT_CANNOT_TELL)
			return n;
	}
	return 0;
}

/* An emulator of floating point takes a hundred times as long. */
#define COMPARISONS (unit_is_emulated() ? (size_t)40 : 1000)
#define LOOKS 5

/* The promise, over all looks. The larger error shows more of the tail, and is held from below,
 * too, so that this test sees verdicts. */
static void equal_functions(void **state)
{
	(void)state;
	for (size_t s = 0; s < N(series); s++) {
		size_t wrong = 0, often = 0;
		char what[64];

		for (size_t i = 0; i < COMPARISONS; i++) {
			struct units_verdict verdict;

			wrong += told_at(series[s].draw, 0, ERROR, LOOKS, &verdict) > 0;
			often += told_at(series[s].draw, 0, 0.2, LOOKS, &verdict) > 0;
		}
		snprintf(what, sizeof what, "%s: wrong verdicts", series[s].name);
		simulate_at_most(wrong, COMPARISONS, ERROR, what);
		snprintf(what, sizeof what, "%s: wrong at an error of 0.2", series[s].name);
		simulate_at_most(often, COMPARISONS, 0.2, what);
		if (series[s].draw != quantised)
			simulate_at_least(often, COMPARISONS, 0.05, what);
	}
}

static double steady(size_t i)
{
	(void)i;
	return 0.001 * simulate_normal();
}

/* Differences are told, to both sides, and the true one lies in the interval. */
static void differences_are_told(void **state)
{
	size_t right = 0, covered = 0, units_in_all = 0;
	const size_t n = COMPARISONS / 4;

	(void)state;
	for (size_t i = 0; i < n; i++) {
		const double shift = i % 2 ? 0.0025 : -0.0025;
		struct units_verdict verdict;

		units_in_all += told_at(steady, shift, ERROR, LOOKS, &verdict);
		right += verdict.kind == (shift > 0 ? VERDICT_SLOWER : VERDICT_FASTER);
		covered += log(verdict.low) <= shift && shift <= log(verdict.high);
	}
	printf("# told at %.1f units in the mean\n", (double)units_in_all / (double)n);
	simulate_at_least(right, n, 0.99, "0.25 % told beside a spread of 0.1 %");
	simulate_at_least(covered, n, 0.99, "the interval has the true ratio");
}

/* What is asked for is enough within a factor of 4, and an eighth of it is too little. */
static void units_that_are_needed(void **state)
{
	size_t enough = 0, too_many = 0, tries = 0;

	(void)state;
	while (tries < 40) {
		struct units_verdict verdict;
		size_t needed;

		for (size_t i = 0; i < 22; i++)
			units[i] = 0.0005 + steady(i);
		verdict = judge(22, 0.0004);
		needed = verdict.units_needed;
		if (verdict.kind != VERDICT_CANNOT_TELL || needed > UNITS_MAX / 4)
			continue;
		tries++;
		assert_true(needed > 22);
		for (size_t i = 0; i < 4 * needed; i++)
			units[i] = 0.0005 + steady(i);
		enough += judge(4 * needed, 0.0004).kind == VERDICT_SLOWER;
		too_many += judge(needed / 8, 0.0004).kind == VERDICT_SLOWER;
	}
	printf("# of 40: %zu are told by 4 times the units, %zu by an eighth\n", enough, too_many);
	assert_true(enough >= 20);
	assert_true(too_many <= 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_verdicts),       cmocka_unit_test(one_unit_decides),
		cmocka_unit_test(few_or_equal_units),   cmocka_unit_test(equal_functions),
		cmocka_unit_test(differences_are_told), cmocka_unit_test(units_that_are_needed),
	};

	unit_seed_or(SIMULATE_SEED);
	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
