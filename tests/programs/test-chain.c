/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The chain, the clock beside it, and staying on one CPU meanwhile. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "chain.h"
#include "raw-clock.h"

static void batches_are_timed(void **state)
{
	static struct chain_batches batches;
	uint64_t longest = 0;

	(void)state;
	chain_time(20000000, &batches);
	if (batches.n == 0)
		unit_skip("the clock is too coarse");
	assert_true(batches.n >= CHAIN_BATCHES_MIN && batches.n <= CHAIN_BATCHES_MAX);
	assert_true(batches.clock_step > 0 && batches.clock_step <= CHAIN_BATCH_NS);
	for (size_t i = 0; i < batches.n; i++)
		if (batches.ns[i] > longest)
			longest = batches.ns[i];
	assert_true(longest >= CHAIN_BATCH_NS);
	printf("# %zu batches of %lu rounds, at most %llu ns%s\n", batches.n, batches.rounds,
	       (unsigned long long)longest, chain_is_portable() ? ", in C" : "");
}

/* Twice as many rounds take longer; the best of a few, because others run beside this test. */
static uint64_t best_time(unsigned long rounds)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 5; i++) {
		uint64_t start = raw_clock_ns(), time;

		chain_run(rounds);
		time = raw_clock_ns() - start;
		if (time < best)
			best = time;
	}
	return best;
}

static void more_rounds_take_longer(void **state)
{
	(void)state;
	if (raw_clock_step() > 10000)
		unit_skip("the clock is too coarse");
	assert_true(best_time(400) > best_time(100));
}

static void clock_moves_on(void **state)
{
	const uint64_t start = raw_clock_ns();

	(void)state;
	assert_in_range(raw_clock_step(), 1, UINT64_MAX - 1);
	assert_true(raw_clock_ns() > start);
}

static void stays_on_one_cpu(void **state)
{
	int count, first = 0;

	(void)state;
	affinity_save();
	count = affinity_count();
	if (count == 0)
		unit_skip("the system does not say where a process may run");
	while (!affinity_allows(first))
		first++;
	assert_true(affinity_pin(first));
	assert_false(affinity_pin(-1));
	affinity_save();
	assert_int_equal(affinity_count(), 1);
	assert_true(affinity_allows(first));
}

static void comes_back(void **state)
{
	int count;

	(void)state;
	affinity_save();
	count = affinity_count();
	if (count == 0 || !affinity_pin_here())
		unit_skip("a process cannot stay on one CPU");
	affinity_restore();
	affinity_save();
	assert_int_equal(affinity_count(), count);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(batches_are_timed), cmocka_unit_test(more_rounds_take_longer),
		cmocka_unit_test(clock_moves_on),    cmocka_unit_test(comes_back),
		cmocka_unit_test(stays_on_one_cpu), /* last: it stays there */
	};

	return cmocka_run_group_tests_name("chain", tests, NULL, NULL);
}
