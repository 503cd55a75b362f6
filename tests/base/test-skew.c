/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "raw-clock.h"
#include "skew.h"

TEST(skew_arithmetic)
{
	struct skew_bounds bounds = { INT64_MIN, INT64_MAX };

	skew_narrow(&bounds, 1000, 1100, 1300); /* between 200 behind and 100 ahead */
	assert_int_equal(bounds.low, -200);
	assert_int_equal(bounds.high, 100);
	assert_int_equal(skew_largest(&bounds), 200);
	skew_narrow(&bounds, 2000, 2150, 2200);
	assert_int_equal(bounds.low, -50);
	assert_int_equal(bounds.high, 100);
	assert_int_equal(skew_largest(&bounds), 100);
	skew_narrow(&bounds, 10, 0, 1000000); /* a slow round changes nothing */
	assert_int_equal(bounds.low, -50);
	assert_int_equal(bounds.high, -10);
}

/* The true offset is never outside, whatever the delays. */
TEST(skew_bounds_hold)
{
	for (int run = 0; run < 1000; run++) {
		struct skew_bounds bounds = { INT64_MIN, INT64_MAX };
		int64_t offset = (int64_t)(unit_random() % 2000001) - 1000000;
		uint64_t now = unit_random(); /* wraps in some runs */

		for (int round = 0; round < 100; round++) {
			uint64_t there = now + unit_random() % 5000,
				 after = there + unit_random() % 5000;

			skew_narrow(&bounds, now, there + (uint64_t)offset, after);
			now = after + unit_random() % 1000;
		}
		assert_true(bounds.low <= offset && offset <= bounds.high);
		assert_true(skew_largest(&bounds) >= (uint64_t)(offset < 0 ? -offset : offset));
	}
}

static long long read_clock(void)
{
	return (long long)raw_clock_ns();
}

static unsigned pairs;

static void found(const struct skew_pair *pair)
{
	assert_true(affinity_allows(pair->here) && affinity_allows(pair->there));
	assert_int_not_equal(pair->here, pair->there);
	assert_true(pair->rounds > 0 && pair->rounds <= SKEW_ROUNDS_MAX);
	pairs++;
}

static int plainly(void (*call)(void *), void *argument)
{
	call(argument);
	return 0;
}

static int faulting(void (*call)(void *), void *argument)
{
	(void)call, (void)argument;
	return SIGSEGV;
}

/* A clock of the kernel's is the same on all CPUs, so the bounds are those of the round trip. */
TEST(skew_of_a_clock)
{
	const struct skew_source source = { .read = read_clock,
					    .guarded = plainly,
					    .found = found };
	uint64_t ns;
	bool known;

	known = skew_measure(&source, 20000000, &ns);
	if (affinity_count() < 2)
		assert_false(known);
	else if (!known)
		unit_skip("the machine is too busy for two processes at a time");
	else
		assert_true(ns < 1000000000 && pairs > 0 && pairs <= SKEW_PAIRS_MAX);
}

TEST(fault_leaves_it_unknown)
{
	const struct skew_source source = { .read = read_clock, .guarded = faulting };
	struct skew_pair pair = { 0, 1, { 0, 0 }, 0 };
	uint64_t ns;

	assert_false(skew_measure(&source, 20000000, &ns));
	assert_false(skew_measure_pair(&source, 20000000, &pair));
}

/* The two lowest CPUs that this process may use. False: there is one. */
static bool find_two(struct skew_pair *pair)
{
	*pair = (struct skew_pair){ .here = -1, .there = -1 };
	affinity_save();
	for (int cpu = 0; cpu < AFFINITY_CPUS_MAX && pair->there < 0; cpu++)
		if (affinity_allows(cpu))
			*(pair->here < 0 ? &pair->here : &pair->there) = cpu;
	return pair->there >= 0;
}

/* One pair alone: it is measured as long as the budget says. */
TEST(one_pair)
{
	const struct skew_source source = { .read = read_clock, .guarded = plainly };
	struct skew_pair pair;
	uint64_t begun = raw_clock_ns();
	int here;

	if (!find_two(&pair))
		unit_skip("there is one CPU");
	here = pair.here;
	if (!skew_measure_pair(&source, 50000000, &pair))
		unit_skip("the machine is too busy for two processes at a time");
	assert_true(raw_clock_ns() - begun >= 50000000);
	assert_int_equal(pair.here, here);
	assert_true(pair.bounds.low <= pair.bounds.high && pair.rounds > 0);
	/* Afterwards the process may run where it might before. */
	affinity_save();
	assert_true(affinity_allows(pair.here) && affinity_allows(pair.there));
}

TEST(no_such_cpu)
{
	const struct skew_source source = { .read = read_clock, .guarded = plainly };
	struct skew_pair pair = { 0, AFFINITY_CPUS_MAX, { 1, 2 }, 3 };

	assert_false(skew_measure_pair(&source, 1000000, &pair));
	assert_int_equal(pair.rounds, 3);
}

UNIT_MAIN_SEEDED("skew", NULL, NULL)
