/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "selection.h"

#define MHZ UINT64_C(1000000)
#define TABLES 20000
#define ROWS 24

TEST(penalties)
{
	assert_int_equal(selection_penalty(&(struct counter){ .class = COUNTER_ON_CORE }), 0);
	assert_int_equal(selection_penalty(&(struct counter){ .class = COUNTER_OFF_CORE }), 100);
	assert_int_equal(selection_penalty(&(struct counter){ .class = COUNTER_KERNEL_COUNT }),
			 100);
	assert_int_equal(selection_penalty(&(struct counter){ .class = COUNTER_OS_CLOCK }), 200);
	assert_int_equal(selection_penalty(
				 &(struct counter){ .class = COUNTER_ON_CORE, .penalty = 50 }),
			 50);
}

/* num 0: out. */
static void expect_scaling(enum counter_class class, uint64_t hz, uint64_t persecond, uint64_t num,
			   uint64_t den)
{
	struct ratio scaling;
	bool in = selection_scaling(class, hz, persecond, &scaling);

	if (in == (num != 0) && (!in || (scaling.num == num && scaling.den == den)))
		return;
	fail_msg("hz %llu, persecond %llu: got %llu/%llu (%s), expected %llu/%llu (%s)",
		 (unsigned long long)hz, (unsigned long long)persecond,
		 (unsigned long long)scaling.num, (unsigned long long)scaling.den,
		 in ? "in" : "out", (unsigned long long)num, (unsigned long long)den,
		 num ? "in" : "out");
}

TEST(scaling_without_rate)
{
	expect_scaling(COUNTER_ON_CORE, 0, 2400 * MHZ, 1, 1);
	expect_scaling(COUNTER_OFF_CORE, 0, 2399987654, 1, 1);
	expect_scaling(COUNTER_OS_CLOCK, 0, 1000, 1, 1);
}

/* The bound itself is in; a millionth beyond it the next divisor is asked. */
TEST(scaling_at_the_bound)
{
	expect_scaling(COUNTER_OFF_CORE, MHZ, 10200000, 10, 1);
	expect_scaling(COUNTER_OFF_CORE, MHZ, 10200001, 41, 4);
	expect_scaling(COUNTER_OFF_CORE, MHZ, 9800000, 10, 1);
	expect_scaling(COUNTER_OFF_CORE, MHZ, 9799999, 39, 4);
	/* The same at d = 2, d = 16 and d = 1024, the last one. */
	expect_scaling(COUNTER_OFF_CORE, MHZ, 10600000, 21, 2);
	expect_scaling(COUNTER_OFF_CORE, MHZ, 10600001, 85, 8);
	expect_scaling(COUNTER_OFF_CORE, 16 * MHZ, 53200000, 53, 16);
	expect_scaling(COUNTER_OFF_CORE, 16 * MHZ, 53200001, 213, 64);
	expect_scaling(COUNTER_OFF_CORE, 16 * MHZ, 58800000, 59, 16);
	expect_scaling(COUNTER_OFF_CORE, 16 * MHZ, 58799999, 235, 64);
	expect_scaling(COUNTER_OFF_CORE, 1024 * MHZ, 3413200000, 3413, 1024);
	expect_scaling(COUNTER_OFF_CORE, 1024 * MHZ, 3413200001, 0, 0);
	expect_scaling(COUNTER_OFF_CORE, 1024 * MHZ, 3754800000, 3755, 1024);
	expect_scaling(COUNTER_OFF_CORE, 1024 * MHZ, 3754799999, 0, 0);
}

TEST(scaling_by_every_divisor)
{
	expect_scaling(COUNTER_OFF_CORE, 16 * MHZ, 48 * MHZ, 3, 1);
	expect_scaling(COUNTER_OFF_CORE, 16 * MHZ, 56 * MHZ, 7, 2);
	expect_scaling(COUNTER_OFF_CORE, 16 * MHZ, 60 * MHZ, 15, 4);
	expect_scaling(COUNTER_OFF_CORE, 16 * MHZ, 54 * MHZ, 27, 8);
	expect_scaling(COUNTER_OFF_CORE, 16 * MHZ, 53 * MHZ, 53, 16);
	expect_scaling(COUNTER_OFF_CORE, 1000 * MHZ, 2660 * MHZ, 85, 32);
	expect_scaling(COUNTER_OFF_CORE, 1000 * MHZ, 3330 * MHZ, 213, 64);
	expect_scaling(COUNTER_OFF_CORE, 128 * MHZ, 427 * MHZ, 427, 128);
	expect_scaling(COUNTER_OFF_CORE, 256 * MHZ, 853 * MHZ, 853, 256);
	expect_scaling(COUNTER_OFF_CORE, 512 * MHZ, 1707 * MHZ, 1707, 512);
	expect_scaling(COUNTER_OFF_CORE, 1024 * MHZ, 3413 * MHZ, 3413, 1024);
	/* A divisor of 2048 would fit here. */
	expect_scaling(COUNTER_OFF_CORE, 2048 * MHZ, 6827 * MHZ, 0, 0);
	/* Thirds are near no multiple of any of them. */
	expect_scaling(COUNTER_OFF_CORE, 3 * MHZ, 10 * MHZ, 0, 0);
	expect_scaling(COUNTER_ON_CORE, 3 * MHZ, 11 * MHZ, 0, 0);
	expect_scaling(COUNTER_OFF_CORE, 1000 * MHZ, 2666666667, 0, 0);
}

/* Scaled by zero it would never move. */
TEST(scaling_to_nothing)
{
	expect_scaling(COUNTER_OFF_CORE, 100 * MHZ, MHZ, 0, 0);
	expect_scaling(COUNTER_OFF_CORE, 5 * MHZ, MHZ, 0, 0);
	expect_scaling(COUNTER_OFF_CORE, 1000 * MHZ, 1000, 0, 0);
}

TEST(scaling_of_clocks)
{
	expect_scaling(COUNTER_OS_CLOCK, 1000 * MHZ, 2399987654, 2399987654, 1000 * MHZ);
	expect_scaling(COUNTER_OS_CLOCK, 3 * MHZ, 10 * MHZ, 10 * MHZ, 3 * MHZ);
	expect_scaling(COUNTER_OS_CLOCK, 1000 * MHZ, 1000, 1000, 1000 * MHZ);
	expect_scaling(COUNTER_OS_CLOCK, MHZ, 100000 * MHZ, 100000 * MHZ, MHZ);
}

/* The rule as it is written, with divisors up to this one, for rates below 2^52 Hz: nothing
 * overflows. */
static bool rule(uint64_t hz, uint64_t persecond, unsigned most, struct ratio *scaling)
{
	for (unsigned d = 1; d <= most; d *= 2) {
		uint64_t cycles = persecond * d, nearest = (2 * cycles + hz) / (2 * hz);
		uint64_t off =
			nearest * hz > cycles ? nearest * hz - cycles : cycles - nearest * hz;

		if (5 * off > hz)
			continue;
		*scaling = (struct ratio){ nearest, d };
		return nearest > 0;
	}
	return false;
}

TEST(scaling_is_the_rule)
{
	for (int i = 0; i < TABLES; i++) {
		uint64_t persecond = 1000 + unit_random() % UINT64_C(99999999001);
		uint64_t hz = 1 + unit_random_bits(37);
		struct ratio expected = { 0, 0 };

		if (!rule(hz, persecond, 1024, &expected))
			expected.num = 0;
		expect_scaling(COUNTER_OFF_CORE, hz, persecond, expected.num, expected.den);
	}
}

/* The rule of 2023 had divisors up to 16. What fitted then has the same scaling now: caches, and
 * the counts of existing programs, rely on that. */
TEST(scaling_has_not_changed)
{
	unsigned fitted = 0;

	for (int i = 0; i < TABLES; i++) {
		uint64_t persecond = 1000 + unit_random() % UINT64_C(99999999001);
		uint64_t hz = 1000 + unit_random_bits(36);
		struct ratio before = { 0, 0 };

		if (!rule(hz, persecond, 16, &before))
			continue;
		expect_scaling(COUNTER_OFF_CORE, hz, persecond, before.num, before.den);
		fitted++;
	}
	assert_true(fitted > TABLES / 10);
}

/* The counts' rate is off by at most a quarter of persecond, and by at most 0.2 / m. */
TEST(scaling_is_near)
{
	for (int i = 0; i < TABLES; i++) {
		uint64_t persecond = 1000 + unit_random() % UINT64_C(99999999001);
		uint64_t hz = 1000 + unit_random_bits(36);
		struct ratio scaling;
		double counts, off;

		if (!selection_scaling(COUNTER_OFF_CORE, hz, persecond, &scaling))
			continue;
		counts = (double)hz * (double)scaling.num / (double)scaling.den;
		off = (counts - (double)persecond) / (double)persecond;
		assert_true(off <= 0.250001 && off >= -0.250001);
		if (persecond >= hz)
			assert_true(off * (double)persecond <= 0.200001 * (double)hz &&
				    -off * (double)persecond <= 0.200001 * (double)hz);
	}
}

TEST(smallest_step)
{
	static const long long rising[] = { 5, 5, 30, 47, 47, 147 };
	static const long long falling[] = { 1, 2, 3, 2, 100 };
	static const long long still[] = { 7, 7, 7 };
	static const long long across[] = { INT64_MIN, INT64_MAX };
	static const long long negative[] = { -30, -20, -3 };
	uint64_t step;

	assert_int_equal(selection_smallest_step(rising, 6, &step), REASON_NONE);
	assert_int_equal(step, 17);
	assert_int_equal(selection_smallest_step(falling, 5, &step), REASON_DECREASED);
	assert_int_equal(selection_smallest_step(falling, 3, &step), REASON_NONE);
	assert_int_equal(step, 1);
	assert_int_equal(selection_smallest_step(still, 3, &step), REASON_STILL);
	assert_int_equal(selection_smallest_step(still, 1, &step), REASON_STILL);
	assert_int_equal(selection_smallest_step(still, 0, &step), REASON_STILL);
	assert_int_equal(selection_smallest_step(across, 2, &step), REASON_NONE);
	assert_int_equal(step, UINT64_MAX);
	assert_int_equal(selection_smallest_step(negative, 3, &step), REASON_NONE);
	assert_int_equal(step, 10);
}

/* Add a turn of counts that begin here and rise by this step. */
static enum reason add_turn(struct selection_try *now, long long first, long long step)
{
	long long counts[SELECTION_TURN];

	for (int i = 0; i < SELECTION_TURN; i++)
		counts[i] = first + i * step;
	return selection_add_turn(now, counts);
}

/* A step from one turn to the next is no step of adjacent counts, but counts must not decrease. */
TEST(add_turns)
{
	struct selection_try now = { 0 };

	assert_int_equal(add_turn(&now, -5000, 0), REASON_NONE);
	assert_int_equal(add_turn(&now, -4999, 9), REASON_NONE);
	assert_int_equal(now.least_step, 9);
	assert_int_equal(add_turn(&now, -4999 + 99 * 9, 11), REASON_NONE);
	assert_int_equal(add_turn(&now, 0, 7), REASON_NONE);
	assert_int_equal(now.least_step, 7);
	assert_int_equal(now.reads, 4 * SELECTION_TURN);
	assert_int_equal(add_turn(&now, 99 * 7 - 1, 7), REASON_DECREASED);
	assert_int_equal(add_turn(&now, 10000, -1), REASON_DECREASED);
	now = (struct selection_try){ 0 };
	for (int i = 1; i < SELECTION_READS / SELECTION_TURN; i++)
		assert_int_equal(add_turn(&now, i, 0), REASON_NONE);
	assert_int_equal(add_turn(&now, 10, 0), REASON_STILL);
	assert_int_equal(now.reads, SELECTION_READS);
}

TEST(can_win)
{
	assert_true(selection_can_win(&(struct counter){ .class = COUNTER_OS_CLOCK }, 0));
	assert_false(selection_can_win(&(struct counter){ .class = COUNTER_ON_CORE }, 1));
	assert_true(selection_can_win(&(struct counter){ .class = COUNTER_ON_CORE }, 2));
	assert_false(selection_can_win(&(struct counter){ .class = COUNTER_ON_CORE, .penalty = 50 },
				       51));
	assert_true(selection_can_win(&(struct counter){ .class = COUNTER_ON_CORE, .penalty = 50 },
				      52));
	assert_false(selection_can_win(&(struct counter){ .class = COUNTER_OFF_CORE }, 100));
	assert_false(selection_can_win(&(struct counter){ .class = COUNTER_OFF_CORE }, 101));
	assert_true(selection_can_win(&(struct counter){ .class = COUNTER_OFF_CORE }, 102));
	assert_false(selection_can_win(&(struct counter){ .class = COUNTER_KERNEL_COUNT }, 40));
	assert_false(selection_can_win(&(struct counter){ .class = COUNTER_OS_CLOCK }, 201));
	assert_true(selection_can_win(&(struct counter){ .class = COUNTER_OS_CLOCK }, 202));
}

TEST(winner)
{
	struct candidate c[4] = {
		{ .precision = 0, .reason = REASON_ERRNO },
		{ .precision = 130 },
		{ .precision = 124 },
		{ .precision = 124 },
	};

	assert_int_equal(selection_winner(c, 4), 2);
	assert_int_equal(selection_winner(c, 2), 1);
	assert_int_equal(selection_winner(c, 1), 1);
	assert_int_equal(selection_winner(c, 0), 0);
	c[2].reason = REASON_STILL;
	assert_int_equal(selection_winner(c, 4), 3);
}

TEST(rank)
{
	/* hz tells them apart. */
	struct candidate c[] = {
		{ .hz = 0, .reason = REASON_ERRNO },
		{ .hz = 1, .precision = 200 },
		{ .hz = 2, .precision = 124 },
		{ .hz = 3, .reason = REASON_PRUNED },
		{ .hz = 4, .precision = 124 },
		{ .hz = 5, .precision = 7 },
		{ .hz = 6, .reason = REASON_LAST_RESORT },
	};
	static const unsigned order[] = { 5, 2, 4, 1, 0, 3, 6 };

	selection_rank(c, 7);
	for (size_t i = 0; i < 7; i++)
		assert_int_equal(c[i].hz, order[i]);
}

static size_t random_table(struct candidate table[], enum counter_class classes[])
{
	size_t n = 1 + (size_t)(unit_random() % ROWS);

	for (size_t i = 0; i < n; i++) {
		/* Few values, so that there are ties. */
		uint64_t step = 1 + unit_random() % (unit_random() % 2 ? 4 : 300);

		classes[i] = (enum counter_class)(unit_random() % COUNTER_LAST_RESORT);
		table[i] = (struct candidate){ .hz = i };
		if (unit_random() % 3 == 0)
			table[i].reason = REASON_ERRNO;
		else
			table[i].precision =
				step + selection_penalty(&(struct counter){ .class = classes[i] });
	}
	return n;
}

TEST(rank_puts_the_winner_first)
{
	for (int i = 0; i < TABLES; i++) {
		struct candidate table[ROWS];
		enum counter_class classes[ROWS];
		size_t n = random_table(table, classes), expected = selection_winner(table, n);
		uint64_t who = expected < n ? table[expected].hz : 0;

		selection_rank(table, n);
		assert_int_equal(table[0].hz, who);
		for (size_t j = 1; j < n; j++) {
			const struct candidate *a = &table[j - 1], *b = &table[j];

			assert_true(a->reason == REASON_NONE || b->reason != REASON_NONE);
			if (a->reason == b->reason)
				assert_true(a->precision < b->precision ||
					    (a->precision == b->precision && a->hz < b->hz));
		}
	}
}

UNIT_MAIN_SEEDED("selection", NULL, NULL)
