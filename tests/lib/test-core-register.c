/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How a register of the core becomes the count of a thread, on two made CPUs: their registers
 * differ, start anew, and have fewer than 64 bits. A handler of a signal reads at each moment of a
 * read. */

#include "config.h"

#include "unit.h"
#include "os/core-register.h"
#include "stepped.h"

static struct core_register mine;

static long long advance(uint64_t value, unsigned width)
{
	const struct core_register_before before = core_register_now(&mine);

	return core_register_advance(&mine, &before, value, width);
}

static int clear(UNIT_UNUSED void **state)
{
	memset(&mine, 0, sizeof mine);
	return 0;
}

TEST_WITH(steps, clear, NULL)
{
	assert_int_equal(advance(UINT64_C(1) << 63, 64), 0);
	assert_int_equal(advance((UINT64_C(1) << 63) + 5, 64), 5);
	/* To a core that is behind, and on from there. */
	assert_int_equal(advance(100, 64), 5);
	assert_int_equal(advance(107, 64), 12);
	/* Back to one that is ahead. */
	assert_int_equal(advance(1107, 64), 1012);
}

/* Linux starts it at 2^63 and the CPU resets it to 0: half of all there is, and less
 * than half of it if the register has run meanwhile. */
TEST_WITH(restarted, clear, NULL)
{
	advance((UINT64_C(1) << 63) + 1, 64);
	assert_int_equal(advance((UINT64_C(1) << 63) + 1000, 64), 999);
	assert_int_equal(advance(0, 64), 999);
	assert_int_equal(advance(500, 64), 1499);
	assert_int_equal(advance((UINT64_C(1) << 63) + 1, 64), 1499);
	assert_int_equal(advance((UINT64_C(1) << 63) + 11, 64), 1509);
}

TEST_WITH(wraps, clear, NULL)
{
	const unsigned widths[] = { 32, 40, 48, 64 };

	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		const unsigned width = widths[i];
		const uint64_t top = UINT64_MAX >> (64 - width);

		clear(NULL);
		assert_int_equal(advance(top - 9, width), 0);
		assert_int_equal(advance(top, width), 9);
		assert_int_equal(advance(4, width), 14);
		/* What CPUs leave in the other bits is no count. */
		if (width < 64)
			assert_int_equal(advance(UINT64_MAX << width | 6, width), 16);
	}
}

/* A counter of 48 bits that overflows to interrupt, and starts anew below zero each time. */
TEST_WITH(reloaded, clear, NULL)
{
	const uint64_t period = 10000, top = UINT64_C(1) << 48;
	long long last = 0;

	for (int round = 0; round < 5; round++) {
		for (uint64_t i = 0; i < period; i += 1000) {
			long long next = advance(top - period + i, 48);

			assert_true(next >= last);
			last = next;
		}
	}
	assert_int_equal(last, 5 * 9000);
}

TEST_WITH(never_back, clear, NULL)
{
	long long last = 0;

	unit_seed();
	for (int i = 0; i < 100000; i++) {
		long long next = advance(unit_random_bits(64), 48);

		assert_true(next >= last);
		last = next;
	}
}

#ifdef __x86_64__
/* Handlers, on a CPU that stores 64 bits by one instruction. In the middle of two, a handler may
 * see half of a count. */

#define READ_COUNTS 20
#define READ_COUNTS_MOST READ_COUNTS
#define READS_IN_HANDLER 5
#include "stepped-count.h"

/* The CPU on which the thread begins is ahead of the other by so much. */
#define APART UINT64_C(80000000000000)

static uint64_t ticking; /* only the thread's own reads make cycles pass */

static uint64_t read_ticking(void)
{
	const uint64_t now = __atomic_fetch_add(&ticking, READ_COUNTS, __ATOMIC_RELAXED);

	return moved ? now : APART + now;
}

static uint64_t tick(void)
{
	return (uint64_t)core_register_count(read_ticking, 64);
}

static uint64_t first_ticking;

static void prepare(void)
{
	moved = false;
	core_register_this = (struct core_register){ 0 };
	tick();
	first = tick();
	first_ticking = ticking;
	last = in_handler = 0;
}

/* No cycle is counted twice. Where the thread moves, a few are lost: those of the reads. */
static void check(void)
{
	const uint64_t lost = stays() ? 0 : (READS_IN_HANDLER + 2) * READ_COUNTS;

	for (int i = 0; i < 3; i++) {
		const uint64_t now = tick(), passed = ticking - first_ticking;

		unit_expect(now - first <= passed, "no cycle is counted twice");
		unit_expect(now - first + lost >= passed, "no more are lost than those");
		unit_expect(now >= in_handler && now >= last, "the count has not fallen");
	}
}

static void handlers_anywhere(void)
{
	static const struct stepped stepped = { prepare, run, interrupt, check };

	for (kind = RETURNS; kind < KINDS; kind++)
		unit_expect(stepped_through(&stepped) > 20, "the read was stepped");
}

TEST_IN_CHILD(handlers)
{
	stepped_in_child(handlers_anywhere);
}

#endif

UNIT_MAIN("core register", NULL, NULL)
