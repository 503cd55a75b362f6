/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A look at a machine with 512 CPUs that this test makes up. Some of them cannot be used, and one
 * goes offline meanwhile. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "look.h"
#include "raw-clock.h"

#define CPUS 512
#define REFUSED 7 /* each CPU whose number this divides */
#define MS 1000000u

static struct look look;
static int pinned, leaves;
static uint64_t gap; /* the next reading of the clock, once pinned, takes this, too */

/* Each reading of the clock takes this long. */
#define READING 5000

/* Makefile.inc gives these functions of base other names, in the files of noise, too. */
uint64_t raw_clock_ns(void)
{
	static uint64_t now;

	if (pinned > 0) {
		now += gap;
		gap = 0;
	}
	return now += READING;
}

/* So short that a reading is long. Otherwise, what is timed would be repeated until it is. */
uint64_t raw_clock_step(void)
{
	return 1;
}

bool affinity_allows(int cpu)
{
	return cpu < CPUS;
}

bool affinity_pin(int cpu)
{
	if (cpu % REFUSED == 0)
		return false;
	pinned = cpu;
	return true;
}

int affinity_count(void)
{
	return CPUS;
}

int affinity_here(void)
{
	return pinned == leaves ? leaves + 1 : pinned;
}

TEST(more_cpus_than_time)
{
	leaves = -1;
	look_at_machine(unit_folder, 500 * MS, &look);
	assert_int_equal(look.allowed, CPUS);
	unit_in_range(look.cpus + look.refused, 2, CPUS / 8);
	/* They are spread over all. */
	assert_true(look.cpu[look.cpus - 1].cpu > CPUS / 2);
	for (size_t i = 1; i < look.cpus; i++)
		assert_true(look.cpu[i - 1].cpu < look.cpu[i].cpu);
	assert_true(look.seconds < 0.51); /* by the clock of this test */
	assert_true(look.n > 0);
}

/* Others have the CPU until the time of the look is over: the next CPUs are looked at all the
 * same. */
TEST(a_long_gap_on_the_first_cpu)
{
	leaves = -1;
	pinned = 0;
	gap = 2000 * (uint64_t)MS;
	look_at_machine(unit_folder, 500 * MS, &look);
	assert_true(look.cpus >= 2);
	for (size_t i = 0; i < look.cpus; i++)
		assert_true(look.cpu[i].ns >= 10 * MS);
}

/* There is time for each one. */
TEST(each_cpu)
{
	const size_t refused = (CPUS + REFUSED - 1) / REFUSED;

	leaves = 100;
	look_at_machine(unit_folder, 30000 * (uint64_t)MS, &look);
	assert_int_equal(look.refused, refused + 1);
	assert_int_equal(look.cpus, CPUS - refused - 1);
	for (size_t i = 0; i < look.cpus; i++)
		assert_true(look.cpu[i].cpu % REFUSED != 0 && look.cpu[i].cpu != leaves);
}

UNIT_MAIN("look", unit_folder_make, unit_folder_remove)
