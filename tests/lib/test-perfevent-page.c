/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The read of perf events' pages. Pages and registers are made, because no PMU is needed for it. */

#include "config.h"

#include "unit.h"
#include "os/perfevent.h"

static struct perf_event_mmap_page page;
static const struct perf_event_mmap_page *const one_page[] = { &page };
static uint64_t register_value;
static uint32_t register_index;
static unsigned register_reads, changes;

static bool read_register(uint32_t number, uint64_t *value)
{
	register_index = number;
	if (register_reads++ < changes)
		page.lock++;
	*value = register_value;
	return true;
}

static bool read_page(long long *raw)
{
	return perfevent_page_sum(one_page, 1, read_register, raw);
}

static int clear_page(UNIT_UNUSED void **state)
{
	memset(&page, 0, sizeof page);
	page.cap_user_rdpmc = 1;
	page.index = 3;
	page.pmc_width = 48;
	register_reads = changes = 0;
	register_value = 0;
	return 0;
}

static void expect_raw(unsigned width, uint64_t value, int64_t offset, long long expected)
{
	long long raw = -1;

	page.pmc_width = (uint16_t)width;
	page.offset = offset;
	register_value = value;
	assert_true(read_page(&raw));
	assert_int_equal(raw, expected);
	assert_int_equal(register_index, 2);
}

TEST_WITH(page_widths, clear_page, NULL)
{
	expect_raw(48, 5, 1000, 1005);
	/* The kernel starts a register below zero and puts the rest into the offset. */
	expect_raw(48, UINT64_C(0x800000000001), UINT64_C(0x800000000000), 1);
	expect_raw(48, UINT64_C(0xffffffffffff), 10, 9);
	expect_raw(48, UINT64_C(0xabcd000000000007), 0, 7);
	expect_raw(40, UINT64_C(0xffffffffff), 10, 9);
	expect_raw(40, UINT64_C(0x7fffffffff), 1, INT64_C(0x8000000000));
	expect_raw(64, UINT64_MAX, 10, 9);
	expect_raw(64, INT64_MAX, 0, INT64_MAX);
	expect_raw(1, 1, 0, -1);
}

TEST_WITH(page_closed, clear_page, NULL)
{
	struct perfevent event = { .readable = 1, .pages[0] = &page };
	long long raw = 0;

	page.index = 0;
	assert_false(read_page(&raw));
	page.index = 3;
	page.pmc_width = 0;
	assert_false(read_page(&raw));
	page.pmc_width = 65;
	assert_false(read_page(&raw));
	page.pmc_width = 48;
	page.cap_user_rdpmc = 0;
	assert_false(read_page(&raw));
	/* A register that is closed must not be touched: it would fault. */
	assert_int_equal(register_reads, 0);
	assert_false(perfevent_register_is_open(&event, read_register));
	page.cap_user_rdpmc = 1;
	assert_true(perfevent_register_is_open(&event, read_register));
	event.readable = 0;
	assert_false(perfevent_register_is_open(&event, read_register));
}

TEST_WITH(page_changes, clear_page, NULL)
{
	long long raw = 0;

	changes = 3;
	expect_raw(48, 5, 0, 5);
	assert_int_equal(register_reads, 4);
	changes = UINT_MAX; /* stuck: an end all the same */
	register_reads = 0;
	assert_false(read_page(&raw));
	unit_in_range(register_reads, 1, PERFEVENT_PAGE_TRIES);
}

/* Stands in for another counter's register: only read(2) knows the count. */
static bool read_nothing(uint32_t number, uint64_t *value)
{
	(void)number, (void)value;
	return false;
}

TEST_WITH(page_elsewhere, clear_page, NULL)
{
	long long raw = 0;

	assert_false(perfevent_page_sum(one_page, 1, read_nothing, &raw));
}

/* Several kinds of cores. */

#define KINDS 3

static struct perf_event_mmap_page kind_pages[KINDS];
static const struct perf_event_mmap_page *const kind_list[] = { &kind_pages[0], &kind_pages[1],
								&kind_pages[2] };
static unsigned migrations; /* how often the thread is still to be moved while it reads */
static unsigned runs_on;    /* the kind of core that it is on */

/* As the kernel writes a page (perf_event_update_userpage). */
static void put_page(unsigned kind, uint32_t index, int64_t offset)
{
	kind_pages[kind].lock += 2;
	kind_pages[kind].cap_user_rdpmc = 1;
	kind_pages[kind].pmc_width = 48;
	kind_pages[kind].index = index;
	kind_pages[kind].offset = offset;
}

/* The thread goes from its core, where it has counted so many cycles, to one of another kind. */
static void migrate(int64_t counted, unsigned to)
{
	put_page(runs_on, 0, kind_pages[runs_on].offset + counted);
	put_page(to, to + 1, kind_pages[to].offset);
	runs_on = to;
}

/* A thread that is moved between page and register reads the register of another core. */
static bool read_own_register(uint32_t number, uint64_t *value)
{
	if (migrations > 0) {
		migrations--;
		migrate(7, (runs_on + 1) % KINDS);
	}
	*value = number == runs_on ? 7 : 1000000;
	return true;
}

static int clear_kinds(UNIT_UNUSED void **state)
{
	memset(kind_pages, 0, sizeof kind_pages);
	put_page(0, 1, 100);
	put_page(1, 0, 20);
	put_page(2, 0, 3);
	runs_on = migrations = 0;
	return 0;
}

static bool read_kinds(long long *raw)
{
	return perfevent_page_sum(kind_list, KINDS, read_own_register, raw);
}

TEST_WITH(kinds_sum, clear_kinds, NULL)
{
	long long raw = 0;

	assert_true(read_kinds(&raw));
	assert_int_equal(raw, 130);
	migrate(50, 2);
	assert_true(read_kinds(&raw));
	assert_int_equal(raw, 180);
}

/* A thread that is moved in the middle of a read reads again, and loses nothing. */
TEST_WITH(kinds_migration, clear_kinds, NULL)
{
	long long raw = 0;

	for (unsigned n = 1; n < 10; n++) {
		clear_kinds(NULL);
		migrations = n;
		assert_true(read_kinds(&raw));
		assert_int_equal(raw, 130 + 7 * n);
	}
}

/* Where no page has an index, any event may be counting in a register that is closed. */
TEST_WITH(kinds_unknown, clear_kinds, NULL)
{
	long long raw = 0;

	put_page(0, 0, 100);
	assert_false(read_kinds(&raw));
	put_page(1, 2, 20);
	kind_pages[1].cap_user_rdpmc = 0;
	assert_false(read_kinds(&raw));
	kind_pages[1].cap_user_rdpmc = 1;
	runs_on = 1;
	assert_true(read_kinds(&raw));
	assert_int_equal(raw, 130);
}

TEST_WITH(kinds_in_use, clear_kinds, NULL)
{
	const unsigned number = 1;
	_Atomic(uint32_t) process = number;
	_Atomic(uint32_t) *const before = perfevent_process_page;
	long long last = 0;

	unit_seed();
	perfevent_process_page = &process;
	perfevent_this = (struct perfevent){
		.process = number,
		.readable = KINDS,
		.pages = { kind_list[0], kind_list[1], kind_list[2] },
	};
	for (int i = 0; i < 10000; i++) {
		long long next;

		migrations = (unsigned)unit_random() % 4;
		next = perfevent_read_register(read_own_register);
		assert_true(next >= last);
		assert_int_equal(perfevent_this.readable, KINDS);
		last = next;
	}
	assert_true(last > 10000);
	perfevent_this = (struct perfevent){ .process = 0 };
	perfevent_process_page = before;
}

UNIT_MAIN("perfevent-page", NULL, NULL)
