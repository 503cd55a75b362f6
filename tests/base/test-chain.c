/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The chain, the clock beside it, and staying on one CPU meanwhile. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "chain.h"
#include "raw-clock.h"

static long long count_calls(void)
{
	static long long calls;

	return ++calls;
}

static uint64_t largest(const uint64_t numbers[], size_t n)
{
	uint64_t largest = 0;

	for (size_t i = 0; i < n; i++)
		if (numbers[i] > largest)
			largest = numbers[i];
	return largest;
}

TEST(batches_are_timed)
{
	static struct chain_times times;
	uint64_t longest;

	chain_time(20000000, count_calls, &times);
	if (times.n == 0)
		unit_skip("the clock is too coarse");
	assert_true(times.n >= CHAIN_BATCHES_MIN && times.n <= CHAIN_BATCHES_MAX);
	assert_true(times.clock_step > 0 && times.clock_step <= CHAIN_BATCH_MAX_NS);
	longest = largest(times.whole.ns, times.n);
	assert_true(longest >= CHAIN_BATCH_NS);
	/* The counter is read twice for each batch, and nowhere else. */
	for (size_t i = 0; i < times.n; i++) {
		assert_int_equal(times.brief.counts[i], 1);
		assert_int_equal(times.whole.counts[i], 1);
	}
	assert_int_equal(count_calls(), 4 * (long long)times.n + 1);
	printf("# %zu batches, the long ones of %lu rounds more, at most %llu ns%s\n", times.n,
	       times.rounds, (unsigned long long)longest, chain_is_portable() ? ", in C" : "");
}

/* Two Pentium 4s; QEMU's kvm64, on whatever processor; a Pentium M, Sapphire Rapids and Zen 3; none
 * of Intel's. */
TEST(pentium4)
{
	assert_true(chain_is_pentium4(0x00000f0a, false));
	assert_true(chain_is_pentium4(0x00000f41, false));
	assert_false(chain_is_pentium4(0x00000f61, true));
	assert_false(chain_is_pentium4(0x000006d8, false));
	assert_false(chain_is_pentium4(0x000806f8, false));
	assert_false(chain_is_pentium4(0x00a00f11, false));
	assert_false(chain_is_pentium4(0, false));
}

TEST(no_counter)
{
	static struct chain_times times;

	chain_time(1000000, NULL, &times);
	if (times.n == 0)
		unit_skip("the clock is too coarse");
	assert_int_equal(largest(times.whole.counts, times.n), 0);
}

/* Many more rounds take longer; the best of a few, because others run beside this test. */
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

TEST(more_rounds_take_longer)
{
	if (raw_clock_step() > 10000)
		unit_skip("the clock is too coarse");
	assert_true(best_time(4000) > best_time(100));
}

TEST(clock_moves_on)
{
	const uint64_t start = raw_clock_ns();

	unit_in_range(raw_clock_step(), 1, UINT64_MAX - 1);
	assert_true(raw_clock_ns() > start);
}

TEST(comes_back)
{
	int count;

	affinity_save();
	count = affinity_count();
	if (count == 0 || !affinity_pin_here())
		unit_skip("a process cannot stay on one CPU");
	affinity_restore();
	affinity_save();
	assert_int_equal(affinity_count(), count);
}

/* The last test, because the process stays there. */
TEST(stays_on_one_cpu)
{
	int count, first = 0;

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

UNIT_MAIN("chain", NULL, NULL)
