/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* events_run: rdpmc=made
 *
 * Reads of made pages with made registers. No machine here has an x86 PMU, whose registers RDPMC
 * would read. */

#include "config.h"

#include "unit.h"

#include "events/page.h"

#define PAGES 3

static struct perf_event_mmap_page pages[PAGES];
static const struct perf_event_mmap_page *const all[PAGES] = { &pages[0], &pages[1], &pages[2] };

/* The registers, by their numbers. */
static uint64_t registers[64];
static uint32_t fails; /* a register that cannot be read, plus 1 */
static int changes;    /* so many reads of a register come with a change of its page */
static unsigned reads;

static bool read_register(uint32_t number, uint64_t *value)
{
	reads++;
	if (number + 1 == fails)
		return false;
	if (changes > 0) {
		changes--;
		pages[1].lock += 2;
		registers[number] += 1000;
	}
	*value = registers[number];
	return true;
}

/* Three events on the registers 0, 1 and 2. */
static int make(UNIT_UNUSED void **state)
{
	memset(pages, 0, sizeof pages);
	memset(registers, 0, sizeof registers);
	fails = 0;
	changes = 0;
	reads = 0;
	for (uint32_t p = 0; p < PAGES; p++) {
		pages[p].index = p + 1;
		pages[p].pmc_width = 48;
		pages[p].cap_user_rdpmc = 1;
		pages[p].offset = 1000 * p;
		registers[p] = 10 + p;
	}
	return 0;
}

TEST_WITH(offset_and_register, make, NULL)
{
	uint64_t counts[PAGES];

	assert_true(event_page_read(all, PAGES, read_register, counts));
	for (uint64_t p = 0; p < PAGES; p++)
		assert_int_equal(counts[p], 1000 * p + 10 + p);
	assert_int_equal(reads, PAGES);
}

/* The kernel starts a register below 0, so that it overflows after the period: the bits above the
 * width are those of a negative number. */
TEST_WITH(narrow_registers, make, NULL)
{
	uint64_t counts[PAGES];

	pages[0].pmc_width = 32;
	registers[0] = 0x80000001;
	pages[0].offset = INT64_C(0x180000000);
	pages[1].pmc_width = 48;
	registers[1] = UINT64_C(0xffffffffffff);
	pages[1].offset = 1;
	pages[2].pmc_width = 64;
	registers[2] = UINT64_C(1) << 63;
	pages[2].offset = INT64_MIN;
	assert_true(event_page_read(all, PAGES, read_register, counts));
	assert_true(counts[0] == UINT64_C(0x100000001));
	assert_true(counts[1] == 0);
	assert_true(counts[2] == 0);
}

static void expect_read(void)
{
	uint64_t counts[PAGES];

	assert_false(event_page_read(all, PAGES, read_register, counts));
}

/* An event that is not on the PMU, one without a width, one whose register is closed, and one whose
 * register this architecture does not have. */
TEST_WITH(only_read_knows, make, NULL)
{
	pages[1].index = 0;
	expect_read();
	make(NULL);
	pages[2].pmc_width = 0;
	expect_read();
	make(NULL);
	pages[2].pmc_width = 65;
	expect_read();
	make(NULL);
	pages[0].cap_user_rdpmc = 0;
	expect_read();
	assert_int_equal(reads, 0);
	make(NULL);
	fails = pages[2].index;
	expect_read();
}

/* A page that changes meanwhile is read again, and with it all others. */
TEST_WITH(changing_pages, make, NULL)
{
	uint64_t counts[PAGES];

	changes = 2;
	assert_true(event_page_read(all, PAGES, read_register, counts));
	assert_int_equal(reads, 2 * PAGES);
	assert_int_equal(counts[0], 1010);
	assert_int_equal(counts[1], 2011);
	changes = PERFEVENT_PAGE_TRIES * PAGES;
	expect_read();
}

UNIT_MAIN("page", NULL, NULL)
