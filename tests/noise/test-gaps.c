/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The loop that looks for gaps, with a made clock and made accounts. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "gaps.h"
#include "raw-clock.h"

#define MS 1000000u
#define READING 20

static struct gaps gaps;
static uint64_t now, gap; /* of the clock: when it is 1000, a gap of this length comes */
static struct own_rise rise;
static int readings, moves;

/* Makefile.inc gives these three functions other names, in gaps.c, too. */
uint64_t raw_clock_ns(void)
{
	const uint64_t step = now == 1000 ? gap : READING;

	return now += step;
}

/* The first reading is before the gap. */
struct own_rise own_read(struct own *own)
{
	(void)own;
	return readings++ == 1 ? rise : (struct own_rise){ .known = rise.known };
}

int affinity_here(void)
{
	return now > 1000 ? moves : 0;
}

static void look(uint64_t ns, struct own_rise answer)
{
	memset(&gaps, 0, sizeof gaps);
	now = 0;
	readings = 0;
	gap = ns;
	rise = answer;
	gaps_look(NULL, ns + 5000, &gaps);
}

static void is(const struct gaps_rest *rest, uint64_t number, uint64_t ns)
{
	assert_int_equal(rest->number, number);
	assert_int_equal(rest->ns, ns);
}

TEST(a_short_gap)
{
	look(30000, (struct own_rise){ .known = true });
	assert_int_equal(gaps.number, 1);
	assert_int_equal(gaps.lost, 30000);
	assert_int_equal(gaps.list[0].begin, 1000);
	assert_int_equal(gaps.list[0].ns, 30000);
	unit_in_range(gaps.ns, 34900, 35100);
	is(&gaps.middle, 0, 0);
	/* A little longer than a reading is none. */
	look(200, (struct own_rise){ .known = true });
	assert_int_equal(gaps.number, 0);
}

TEST(gaps_without_an_account)
{
	look(MS, (struct own_rise){ .known = true });
	is(&gaps.middle, 1, MS);
	look(5 * MS, (struct own_rise){ .known = true });
	is(&gaps.uncounted, 1, 5 * MS);
	assert_int_equal(gaps.longest, 5 * MS);
	unit_in_range(gaps.ns, 5 * MS + 4900, 5 * MS + 5100);
}

TEST(waiting_is_taken_off)
{
	look(5 * MS, (struct own_rise){ true, 5 * MS - 40000, 0, 1 });
	is(&gaps.switching, 1, 40000);
	is(&gaps.uncounted, 0, 0);
	assert_int_equal(gaps.own.waited, 5 * MS - 40000);
	look(9 * MS, (struct own_rise){ true, 4 * MS, 0, 1 });
	is(&gaps.uncounted, 1, 5 * MS);
	look(5 * MS, (struct own_rise){ true, UINT64_MAX, 0, 1 });
	is(&gaps.uncounted, 0, 0);
}

TEST(a_stopped_thread)
{
	look(9 * MS, (struct own_rise){ true, 4 * MS, 1, 0 });
	is(&gaps.uncounted, 0, 0);
	assert_int_equal(gaps.lost, 4 * MS);
	assert_int_equal(gaps.longest, 4 * MS);
	unit_in_range(gaps.ns, 4 * MS + 4900, 4 * MS + 5100);
	look(9 * MS, (struct own_rise){ true, 0, 1, 0 });
	assert_int_equal(gaps.number, 0);
	unit_in_range(gaps.ns, 900, 5100);
}

/* Without an account, a switch says that it was another program. */
TEST(without_an_account)
{
	look(9 * MS, (struct own_rise){ false, 0, 0, 1 });
	is(&gaps.uncounted, 0, 0);
	assert_int_equal(gaps.own.waited, 9 * MS);
	look(9 * MS, (struct own_rise){ false, 0, 0, 0 });
	is(&gaps.uncounted, 1, 9 * MS);
}

TEST(a_brief_look_without_time)
{
	double lost, waited;

	assert_false(gaps_brief(0, &lost, &waited));
}

TEST(a_move)
{
	moves = 3;
	look(30000, (struct own_rise){ .known = true });
	is(&gaps.moved, 1, 30000);
	look(5 * MS, (struct own_rise){ true, 5 * MS - 40000, 0, 1 });
	is(&gaps.moved, 1, 40000);
	moves = 0;
}

UNIT_MAIN("gaps", NULL, NULL)
