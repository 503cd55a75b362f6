/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Kinds of core on made trees. */

#include "config.h"

#include "unit.h"
#include "affinity.h"
#include "kinds.h"

#define CPU "sys/devices/system/cpu/"

/* The trees have CPUs that exist here, because others would not be used. */
static struct core_kind kinds[CORE_KINDS_MAX];

TEST_WITH(one_kind, unit_folder_make, unit_folder_remove)
{
	assert_int_equal(core_kinds(unit_folder, kinds), 1);
	assert_string_equal(kinds[0].name, "any");
	assert_int_equal(kinds[0].cpu, -1);
}

static void need_two_cpus(void)
{
	affinity_save();
	if (affinity_allows(0) && affinity_allows(1))
		return;
	unit_skip("CPUs 0 and 1 cannot be used");
}

TEST_WITH(kinds_by_capacity, unit_folder_make, unit_folder_remove)
{
	need_two_cpus();
	unit_write_text(CPU "cpu0/cpu_capacity", "446\n");
	unit_write_text(CPU "cpu1/cpu_capacity", "1024\n");
	unit_write_text(CPU "cpu8000/cpu_capacity", "2048\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 2);
	assert_string_equal(kinds[0].name, "capacity 446");
	assert_int_equal(kinds[0].cpu, 0);
	assert_string_equal(kinds[1].name, "capacity 1024");
	assert_int_equal(kinds[1].cpu, 1);
	unit_write_text(CPU "cpu1/cpu_capacity", "446\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 1);
	unit_write_text(CPU "cpu0/cpu_capacity", "big\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 1);
	assert_string_equal(kinds[0].name, "any");
}

TEST_WITH(kinds_by_list, unit_folder_make, unit_folder_remove)
{
	need_two_cpus();
	unit_write_text("sys/devices/cpu_core/cpus", "1,7000-8000\n");
	unit_write_text("sys/devices/cpu_atom/cpus", "8000-9000,0\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 2);
	assert_string_equal(kinds[0].name, "cpu_core");
	assert_int_equal(kinds[0].cpu, 1);
	assert_string_equal(kinds[1].name, "cpu_atom");
	assert_int_equal(kinds[1].cpu, 0);
	/* A list of CPUs that the process may not use, and a text that is no list. */
	unit_write_text("sys/devices/cpu_core/cpus", "7000-2147483647\n");
	unit_write_text("sys/devices/cpu_atom/cpus", "-x\n");
	assert_int_equal(core_kinds(unit_folder, kinds), 1);
	assert_string_equal(kinds[0].name, "any");
}

UNIT_MAIN("kinds", NULL, NULL)
