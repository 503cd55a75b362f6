/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "faults.h"
#include "counters.h"
#include "file.h"
#include "guard.h"
#include "probe.h"

#include <errno.h>

#define HZ UINT64_C(2399987654)

static struct guard guard;

/* Counters made for the test, on the real probe. */

static int setup_answer, teardowns, rates_asked;
static uint64_t own_hz;
static long long now;

static int rate_own(uint64_t *hz)
{
	rates_asked++;
	*hz = own_hz;
	return own_hz ? 0 : -ENODATA;
}

static int opened;

static int rate_from_file(uint64_t *hz)
{
	(void)hz;
	opened = file_open("/dev/null", 0);
	fault_segv(NULL);
	return 0;
}

static int setup_made(const struct counter_conditions *conditions)
{
	(void)conditions;
	return setup_answer;
}

static int setup_faulty(const struct counter_conditions *conditions)
{
	(void)conditions;
	fault_segv(NULL);
	return 0;
}

static void teardown_made(void)
{
	teardowns++;
}

static long long read_rising(void)
{
	return now += 17;
}

static long long read_falling(void)
{
	return now -= 17;
}

static unsigned still_reads;

static long long read_still(void)
{
	still_reads++;
	return 5;
}

/* Moves at the hundredth read. */
static long long read_seldom(void)
{
	static unsigned reads;

	return ++reads / 100;
}

/* Moves at the last read that it is given. */
static long long read_late(void)
{
	static unsigned reads;

	return ++reads == SELECTION_READS * SELECTION_TRIES;
}

/* Stands still, then steps back. */
static long long read_sinking(void)
{
	static unsigned reads;

	return ++reads < 50 ? 5 : 4;
}

/* Faults at the third read. */
static long long read_closing(void)
{
	static unsigned reads;

	if (++reads == 3)
		fault_bus(NULL);
	return 5;
}

static long long read_faulty(void)
{
	fault_bus(NULL);
	return 0;
}

/* Backwards once, in the first try only. */
static long long read_stumbling(void)
{
	static unsigned reads;

	return ++reads == 500 ? 0 : (now += 3);
}

static const struct counter model = {
	.name = "made",
	.class = COUNTER_OFF_CORE,
	.width = 64,
	.setup = setup_made,
	.teardown = teardown_made,
	.read = read_rising,
};

static struct candidate probed(struct counter counter)
{
	static struct counter kept;
	struct candidate result;

	kept = counter;
	teardowns = 0;
	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	probe_counter(&kept, HZ, &result);
	guard_release(&guard);
	return result;
}

static void expect_out(struct counter counter, enum reason reason, int detail)
{
	struct candidate result = probed(counter);

	assert_int_equal(result.reason, reason);
	assert_int_equal(result.detail, detail);
	assert_int_equal(result.precision, 0);
	assert_int_equal(teardowns, 1);
}

TEST(outcomes)
{
	struct counter c = model;
	struct candidate result;

	setup_answer = 0;
	result = probed(c);
	assert_int_equal(result.reason, REASON_NONE);
	assert_int_equal(result.precision, 117);
	assert_int_equal(teardowns, 1);
	c.class = COUNTER_ON_CORE;
	assert_int_equal(probed(c).precision, 17);
	c.class = COUNTER_OS_CLOCK;
	assert_int_equal(probed(c).precision, 217);
	setup_answer = -EPERM;
	expect_out(c, REASON_ERRNO, EPERM);
	setup_answer = COUNTER_CLOSED;
	expect_out(c, REASON_CLOSED, 0);
	setup_answer = 0;
	c.setup = setup_faulty;
	expect_out(c, REASON_SIGNAL, SIGSEGV);
	c.setup = setup_made;
	c.read = read_faulty;
	expect_out(c, REASON_SIGNAL, SIGBUS);
	c.read = read_falling;
	expect_out(c, REASON_DECREASED, 0);
	c.read = read_still;
	expect_out(c, REASON_STILL, 0);
	c.read = read_stumbling;
	assert_int_equal(probed(c).precision, 203);
}

TEST(rates)
{
	struct counter c = model;
	struct candidate result;

	c.rate = rate_own;
	own_hz = HZ / 2;
	result = probed(c);
	assert_int_equal(result.hz, HZ / 2);
	assert_int_equal(result.scaling.num, 2);
	assert_int_equal(result.scaling.den, 1);
	own_hz = HZ / 10 * 3;
	expect_out(c, REASON_SCALING, 0);
	own_hz = 0;
	expect_out(c, REASON_ERRNO, ENODATA);
	c.rate = rate_from_file;
	expect_out(c, REASON_SIGNAL, SIGSEGV);
	assert_true(opened >= 0);
	assert_int_equal(fcntl(opened, F_GETFD), -1); /* it did not stay open */
}

/* One that was measured must stay what it was, and not cost milliseconds again. */
TEST(known_rate)
{
	struct candidate result;
	struct counter c = model;

	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	rates_asked = 0;
	own_hz = HZ;
	c.rate = rate_own;
	assert_true(probe_briefly(&c, HZ, HZ / 2, &result));
	assert_int_equal(rates_asked, 0);
	assert_int_equal(result.hz, HZ / 2);
	assert_int_equal(result.scaling.num, 2);
	assert_true(probe_briefly(&c, HZ, 0, &result));
	assert_int_equal(rates_asked, 1);
	assert_int_equal(result.hz, HZ);
	c.rate = NULL; /* what a cache may say of it all the same */
	assert_true(probe_briefly(&c, HZ, HZ / 2, &result));
	assert_int_equal(result.hz, 0);
	assert_int_equal(result.scaling.num, 1);
	guard_release(&guard);
}

/* A counter that others read has the rate that they know, whoever tells another. */
TEST(kept_rate)
{
	const struct counter *counter = counters_list[counters_find("default-monotonic")];
	struct candidate result;

	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	probe_counter(counter, HZ, &result);
	assert_int_equal(result.hz, 1000000000);
	probe_keep_rate(counter, HZ / 3);
	probe_counter(counter, HZ, &result);
	assert_int_equal(result.hz, HZ / 3);
	assert_true(probe_briefly(counter, HZ, HZ / 2, &result));
	assert_int_equal(result.hz, HZ / 3);
	probe_counter(counters_last_resort(), HZ, &result);
	assert_int_equal(result.hz, 0);
	probe_keep_rate(counter, 0);
	guard_release(&guard);
}

TEST(briefly)
{
	struct counter c = model;
	struct candidate result;
	bool works;

	teardowns = 0;
	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	works = probe_briefly(&c, HZ, 0, &result);
	assert_true(works && teardowns == 0);
	c.read = read_closing;
	assert_false(probe_briefly(&c, HZ, 0, &result));
	assert_int_equal(result.reason, REASON_SIGNAL);
	assert_int_equal(teardowns, 1);
	teardowns = 0;
	c.read = read_falling;
	assert_false(probe_briefly(&c, HZ, 0, &result));
	assert_int_equal(teardowns, 1);
	c.read = read_faulty;
	assert_false(probe_briefly(&c, HZ, 0, &result));
	assert_int_equal(teardowns, 2);
	guard_release(&guard);
}

/* Read a counter of this class, which never moves: whether it is out, and after how many reads. */
static void expect_still(enum counter_class class, bool is_out, unsigned reads)
{
	struct counter c = model;
	struct candidate result;

	c.class = class;
	c.read = read_still;
	still_reads = 0;
	teardowns = 0;
	assert_int_equal(probe_briefly(&c, HZ, 0, &result), !is_out);
	assert_int_equal(result.reason, is_out ? REASON_STILL : REASON_NONE);
	assert_int_equal(teardowns, is_out);
	assert_int_equal(still_reads, reads);
}

static void expect_briefly(long long (*read)(void), enum reason reason)
{
	struct counter c = model;
	struct candidate result;

	c.read = read;
	assert_int_equal(probe_briefly(&c, HZ, 0, &result), reason == REASON_NONE);
	assert_int_equal(result.reason, reason);
}

/* A clock may show one value for long. Every other counter has to move, within as many reads as a
 * probe makes. */
TEST(standing_still)
{
	const unsigned all = SELECTION_READS * SELECTION_TRIES;

	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	expect_still(COUNTER_ON_CORE, true, all);
	expect_still(COUNTER_OFF_CORE, true, all);
	expect_still(COUNTER_KERNEL_COUNT, true, all);
	expect_still(COUNTER_OS_CLOCK, false, 2);
	expect_still(COUNTER_LAST_RESORT, false, 2);
	expect_briefly(read_seldom, REASON_NONE);
	expect_briefly(read_late, REASON_NONE);
	expect_briefly(read_sinking, REASON_DECREASED);
	guard_release(&guard);
}

/* A counter that moves is not read on: each read of some is a system call. */
TEST(moving_is_enough)
{
	struct counter c = model;
	struct candidate result;

	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	c.class = COUNTER_KERNEL_COUNT;
	now = 0;
	assert_true(probe_briefly(&c, HZ, 0, &result));
	assert_int_equal(now, 2 * 17);
	guard_release(&guard);
}

/* The rule, on what one probe found: even with the smallest step that there is, 1, a counter that
 * was pruned would not have won. What two probes found is not compared: on a busy machine a counter
 * may work in one of them and stumble in the other. */
static void expect_pruned(const struct candidate table[])
{
	const size_t winner = selection_winner(table, counters_count);

	for (size_t i = 0; i < counters_count; i++) {
		const uint64_t least = selection_penalty(counters_list[i]) + 1;

		if (table[i].reason == REASON_PRUNED)
			assert_true(least + (i > winner) > table[winner].precision);
		else if (table[i].reason == REASON_NONE && i > winner)
			assert_true(least < table[winner].precision);
	}
}

/* The real list on the real machine. */
TEST(everything)
{
	static struct candidate full[COUNTERS_MAX], pruned[COUNTERS_MAX];
	size_t winner;

	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	probe_all(HZ, false, full);
	probe_all(HZ, true, pruned);
	guard_release(&guard);
	for (size_t i = 0; i < counters_count; i++) {
		const struct candidate *c = &full[i];

		assert_ptr_equal(c->counter, counters_list[i]);
		assert_ptr_equal(pruned[i].counter, counters_list[i]);
		assert_int_not_equal(c->reason, REASON_PRUNED);
		if (c->reason == REASON_NONE)
			assert_true(c->precision > selection_penalty(c->counter));
		else
			assert_int_equal(c->precision, 0);
	}
	assert_int_equal(full[counters_count - 1].reason, REASON_LAST_RESORT);
	winner = selection_winner(pruned, counters_count);
	assert_true(winner < counters_count);
	expect_pruned(pruned);
}

TEST(one_class)
{
	static struct candidate table[COUNTERS_MAX];

	guard_acquire(&guard);
	guard_install(&guard, GUARD_ALL);
	probe_class(COUNTER_OS_CLOCK, HZ, table);
	guard_release(&guard);
	for (size_t i = 0; i < counters_count; i++) {
		assert_ptr_equal(table[i].counter, counters_list[i]);
		assert_int_equal(table[i].reason == REASON_PRUNED,
				 counters_list[i]->class != COUNTER_OS_CLOCK);
	}
}

/* A selection from the cache catches only what a counter names. */
TEST(signals)
{
	for (size_t i = 0; i < counters_count; i++) {
		const struct counter *c = counters_list[i];

		assert_int_equal(c->signals & ~GUARD_ALL, 0);
		assert_int_equal(c->signals == 0, c->class == COUNTER_LAST_RESORT);
		assert_int_equal(c->closing_signals != 0, c->closed != NULL);
		assert_int_equal(c->closing_signals & ~c->signals, 0);
	}
}

TEST(names)
{
	assert_true(counters_count > 0 && counters_count <= COUNTERS_MAX);
	for (size_t i = 0; i < counters_count; i++) {
		assert_int_equal(counters_find(counters_list[i]->name), i);
		assert_non_null(counters_list[i]->read);
		assert_non_null(counters_list[i]->setup);
		assert_non_null(counters_list[i]->caveat);
	}
	assert_int_equal(counters_find("nosuch"), counters_count);
	assert_int_equal(counters_find(""), counters_count);
	assert_int_equal(counters_last_resort()->class, COUNTER_LAST_RESORT);
}

TEST(class_names)
{
	enum counter_class class;

	for (enum counter_class c = COUNTER_ON_CORE; c < COUNTER_LAST_RESORT; c++) {
		assert_true(counter_class_find(counter_class_name(c), &class));
		assert_int_equal(class, c);
	}
	assert_false(counter_class_find(counter_class_name(COUNTER_LAST_RESORT), &class));
	assert_false(counter_class_find("", &class));
	assert_false(counter_class_find("on-cores", &class));
	for (size_t i = 0; i < counters_count; i++)
		assert_false(counter_class_find(counters_list[i]->name, &class));
}

int main(void)
{
	if (fault_prepare())
		return 99;
	return unit_run("probe", NULL, NULL);
}
