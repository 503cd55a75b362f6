/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CPUs with cores of several kinds, as sysfs shows them. The trees are made, with the names and
 * types of such machines. */

#include "config.h"

#include "unit.h"
#include "os/core-pmus.h"

#include <errno.h>

#define EXTENDED(type) ((uint64_t)(type) << 32)

static struct perfevent_kinds kinds;

static int make_tree(void **state)
{
	memset(&kinds, 0xff, sizeof kinds);
	return unit_folder_make(state);
}

/* A device, with its type and a file "cpus" or "cpumask" or neither. */
static void device(const char *name, const char *mask, const char *type)
{
	char path[128];

	if (mask) {
		snprintf(path, sizeof path, "%s/%s", name, mask);
		unit_write_text(path, "0-3\n");
	}
	snprintf(path, sizeof path, "%s/type", name);
	unit_write_text(path, type);
}

static int find(void)
{
	return core_pmus_find(unit_folder, &kinds);
}

/* Whether this kind was found, at any place: the names of a folder have no order. */
static bool has(uint32_t type, uint64_t config)
{
	for (unsigned i = 0; i < kinds.n; i++)
		if (kinds.of[i].type == type && kinds.of[i].config == config)
			return true;
	return false;
}

TEST_WITH(x86_hybrid, make_tree, unit_folder_remove)
{
	device("cpu_core", "cpus", "4\n");
	device("cpu_atom", "cpus", "10\n");
	device("uncore_imc_0", "cpumask", "20\n");
	device("power", "cpumask", "21\n");
	device("software", NULL, "1\n");
	assert_int_equal(find(), 0);
	assert_int_equal(kinds.n, 2);
	assert_true(has(PERF_TYPE_HARDWARE, EXTENDED(4) | PERF_COUNT_HW_CPU_CYCLES));
	assert_true(has(PERF_TYPE_HARDWARE, EXTENDED(10) | PERF_COUNT_HW_CPU_CYCLES));
	device("cpu_lowpower", "cpus", "11\n");
	assert_int_equal(find(), 0);
	assert_int_equal(kinds.n, 3);
}

TEST_WITH(x86_plain, make_tree, unit_folder_remove)
{
	device("cpu", NULL, "4\n");
	/* These are not even looked at. */
	device("cpu_core", "cpus", "5\n");
	device("cpu_atom", "cpus", "10\n");
	assert_int_equal(find(), 0);
	assert_int_equal(kinds.n, 0);
}

TEST_WITH(arm_kinds, make_tree, unit_folder_remove)
{
	device("armv8_cortex_a53", "cpus", "7\n");
	device("armv8_cortex_a73", "cpus", "8\n");
	device("armv9_cortex_x1", "cpus", "9\n");
	device("arm_dsu_0", "cpumask", "10\n");
	device("arm_cmn_0", "cpumask", "11\n");
	device("armv8_no_cores", NULL, "12\n");
	assert_int_equal(find(), 0);
	assert_int_equal(kinds.n, 3);
	/* By the event's number on the PMU itself. */
	assert_true(has(7, 0x11) && has(8, 0x11) && has(9, 0x11));
}

TEST_WITH(apple_kinds, make_tree, unit_folder_remove)
{
	device("apple_icestorm_pmu", "cpus", "8\n");
	device("apple_firestorm_pmu", "cpus", "9\n");
	assert_int_equal(find(), 0);
	assert_int_equal(kinds.n, 2);
	/* By the generic event, because Apple's numbers are others. */
	assert_true(has(PERF_TYPE_HARDWARE, EXTENDED(8)) && has(PERF_TYPE_HARDWARE, EXTENDED(9)));
}

TEST_WITH(one_kind, make_tree, unit_folder_remove)
{
	device("armv8_pmuv3_0", "cpus", "7\n");
	device("uprobe", NULL, "6\n");
	assert_int_equal(find(), 0);
	assert_int_equal(kinds.n, 0);
}

TEST_WITH(nothing, make_tree, unit_folder_remove)
{
	assert_int_equal(core_pmus_find("/nowhere", &kinds), 0);
	assert_int_equal(kinds.n, 0);
	kinds.n = 7;
	assert_int_equal(find(), 0);
	assert_int_equal(kinds.n, 0);
}

/* A device without a valid type is not taken for a PMU. */
TEST_WITH(broken_types, make_tree, unit_folder_remove)
{
	const char *broken[] = { "", "x\n", "-4\n", "4 5\n", "0\n", "99999999999\n" };

	device("cpu_core", "cpus", "4\n");
	device("cpu_atom", "cpus", "10\n");
	for (size_t i = 0; i < sizeof broken / sizeof broken[0]; i++) {
		unit_write_text("cpu_lowpower/cpus", "1\n");
		unit_write_text("cpu_lowpower/type", broken[i]);
		assert_int_equal(find(), 0);
		assert_int_equal(kinds.n, 2);
	}
}

static void many(const char *mask, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char name[32], type[16];

		snprintf(name, sizeof name, "armv8_pmuv3_%u", i);
		snprintf(type, sizeof type, "%u\n", i + 7);
		device(name, mask, type);
	}
}

/* A sum without some of them would be wrong, so the counter fails. */
TEST_WITH(too_many, make_tree, unit_folder_remove)
{
	many("cpus", PERFEVENT_PMUS_MAX);
	assert_int_equal(find(), 0);
	assert_int_equal(kinds.n, PERFEVENT_PMUS_MAX);
	many("cpus", PERFEVENT_PMUS_MAX + 1);
	assert_int_equal(find(), -E2BIG);
	assert_int_equal(kinds.n, 0);
}

/* With more names than are looked at, the others may be PMUs of cores. */
TEST_WITH(too_many_names, make_tree, unit_folder_remove)
{
	many(NULL, 16);
	assert_int_equal(find(), 0);
	many(NULL, 17);
	assert_int_equal(find(), -E2BIG);
}

/* More entries than one call of getdents64 gives. */
TEST_WITH(large_folder, make_tree, unit_folder_remove)
{
	for (unsigned i = 0; i < 500; i++) {
		char name[32];

		snprintf(name, sizeof name, "uncore_cha_%u", i);
		device(name, "cpumask", "30\n");
	}
	device("cpu_core", "cpus", "4\n");
	device("cpu_atom", "cpus", "10\n");
	assert_int_equal(find(), 0);
	assert_int_equal(kinds.n, 2);
}

TEST_WITH(long_root, make_tree, unit_folder_remove)
{
	char root[400];

	memset(root, '/', sizeof root);
	root[sizeof root - 1] = 0;
	assert_int_equal(core_pmus_find(root, &kinds), 0);
	assert_int_equal(kinds.n, 0);
}

UNIT_MAIN("core-pmus", NULL, NULL)
