/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The pure functions on rounds and pauses. */

#include "config.h"

#include "unit.h"
#include "rates.h"

#define BUDGET_NS 32000000u
#define ROUNDS 32
#define ROUND_NS (BUDGET_NS / ROUNDS)

static const struct rates_plan plan = { BUDGET_NS, ROUNDS };

/* The slower the core, the fewer, within the limits of a plan. */
TEST(rounds_of_slow_cores)
{
	static const struct {
		uint64_t prepared_ns;
		size_t rounds;
	} cases[] = {
		{ 0, RATES_ROUNDS },
		{ RATES_PREPARED_NS, RATES_ROUNDS },
		{ 2 * RATES_PREPARED_NS, RATES_ROUNDS / 2 },
		{ 10 * RATES_PREPARED_NS, RATES_ROUNDS / 10 },
		{ 16 * RATES_PREPARED_NS, RATES_ROUNDS_MIN },
		{ UINT64_MAX, RATES_ROUNDS_MIN },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(rates_rounds(cases[i].prepared_ns), cases[i].rounds);
	for (uint64_t ns = 0; ns < 20 * RATES_PREPARED_NS; ns += 10007)
		unit_in_range(rates_rounds(ns), RATES_ROUNDS_MIN, RATES_ROUNDS);
}

/* However long a round itself takes, each has the same part of the budget. */
TEST(rounds_are_evenly_spread)
{
	assert_int_equal(rates_pause_ns(&plan, 0, 0), ROUND_NS);
	assert_int_equal(rates_pause_ns(&plan, 1, BUDGET_NS / 2), ROUND_NS - 1);
	assert_int_equal(rates_pause_ns(&plan, ROUND_NS - 1, BUDGET_NS / 2), 1);
}

/* On a slow core a round takes longer than that, so there are no pauses at all. */
TEST(slow_rounds_follow_at_once)
{
	assert_int_equal(rates_pause_ns(&plan, ROUND_NS, BUDGET_NS / 2), 0);
	assert_int_equal(rates_pause_ns(&plan, UINT64_MAX, BUDGET_NS / 2), 0);
}

/* After the budget, the rounds that are missing still follow. */
TEST(no_pause_after_the_budget)
{
	assert_int_equal(rates_pause_ns(&plan, 0, BUDGET_NS - 1), ROUND_NS);
	assert_int_equal(rates_pause_ns(&plan, 0, BUDGET_NS), 0);
	assert_int_equal(rates_pause_ns(&plan, 0, UINT64_MAX), 0);
}

UNIT_MAIN("rates", NULL, NULL)
