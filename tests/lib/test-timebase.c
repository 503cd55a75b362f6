/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The rate of a time base as the kernel tells it, in files below a root of the test's own. */

#include "config.h"

#include "unit.h"
#include "os/timebase.h"

#define ROOT_CPU0 "root/sys/devices/system/cpu/cpu0/"
#define ROOT_CPUINFO "root/proc/cpuinfo"
#define ROOT_CPUS "root/proc/device-tree/cpus/"

static int clear_root(UNIT_UNUSED void **state)
{
	char command[128];

	snprintf(command, sizeof command, "rm -rf '%s/root'", unit_folder);
	return system(command);
}

static void expect_told(uint64_t hz)
{
	char root[PATH_MAX];
	uint64_t got = 0;
	bool any;

	strcpy(root, unit_path("root"));
	any = timebase_told(root, &got);
	if (any != (hz != 0) || (any && got != hz))
		fail_msg("got %llu, expected %llu", any ? (unsigned long long)got : 0,
			 (unsigned long long)hz);
}

TEST_WITH(tree_in_order, clear_root, NULL)
{
	expect_told(0);
	unit_write_text(ROOT_CPUINFO, "processor\t: 0\n\ntimebase\t: 33333333\n");
	expect_told(33333333);
	unit_write(ROOT_CPUS "cpu@0/timebase-frequency", "\0\75\11\0", 4);
	expect_told(4000000);
	unit_write(ROOT_CPUS "timebase-frequency", "\0\230\226\200", 4);
	expect_told(10000000);
	unit_write(ROOT_CPU0 "of_node/timebase-frequency", "\0\0\0\0\36\204\200\0", 8);
	expect_told(512000000);
}

TEST_WITH(tree_without_answers, clear_root, NULL)
{
	unit_write(ROOT_CPU0 "of_node/timebase-frequency", "", 0);
	expect_told(0);
	unit_write(ROOT_CPU0 "of_node/timebase-frequency", "\0\0\0\0", 4);
	expect_told(0);
	unit_write(ROOT_CPU0 "of_node/timebase-frequency", "\0\0\3\347", 4); /* 999 */
	expect_told(0);
	unit_write(ROOT_CPU0 "of_node/timebase-frequency", "\377\377\377\377\377\377\377\377", 8);
	expect_told(0);
	unit_write(ROOT_CPU0 "of_node/timebase-frequency", "\0\75\11\0\0", 5);
	expect_told(0);
	unit_write(ROOT_CPUS "timebase-frequency", "\0\75\11\0", 4);
	expect_told(4000000);
}

/* The node of the first CPU that is online, whose number is hexadecimal in the device tree. */
TEST_WITH(no_cpu_0, clear_root, NULL)
{
	unit_write_text("root/sys/devices/system/cpu/online", "26,28\n");
	unit_write(ROOT_CPUS "cpu@1a/timebase-frequency", "\0\75\11\0", 4);
	expect_told(4000000);
	unit_write(ROOT_CPUS "timebase-frequency", "\0\230\226\200", 4);
	expect_told(10000000);
	unit_write("root/sys/devices/system/cpu/cpu26/of_node/timebase-frequency",
		   "\0\0\0\0\36\204\200\0", 8);
	expect_told(10000000);
	unlink(unit_path(ROOT_CPUS "timebase-frequency"));
	expect_told(512000000);
}

static void expect_cpuinfo(const char *text, uint64_t hz)
{
	unit_write_text(ROOT_CPUINFO, text);
	expect_told(hz);
}

TEST_WITH(cpuinfo_lines, clear_root, NULL)
{
	expect_cpuinfo("", 0);
	expect_cpuinfo("timebase\t: 512000000\nplatform\t: PowerNV\n", 512000000);
	expect_cpuinfo("\n\n\ntimebase : 1000\n", 1000);
	expect_cpuinfo("timebase\t: 512000000", 0); /* a digit may be missing at the end */
	expect_cpuinfo("timebase\t: 999\n", 0);
	expect_cpuinfo("timebase\t: 512000000 Hz\n", 0);
	expect_cpuinfo("timebase\t:\n", 0);
	expect_cpuinfo("timebase2\t: 512000000\n", 0);
	expect_cpuinfo("the timebase\t: 512000000\n", 0);
	expect_cpuinfo("model\t: timebase : 512000000\n", 0);
}

/* The line stands behind all processors, and may lie across the end of a piece. */
TEST_WITH(cpuinfo_of_many, clear_root, NULL)
{
	static char text[200000], line[] = "timebase\t: 512000000\n";

	memset(text, 'x', sizeof text);
	for (size_t i = 79; i < sizeof text; i += 80)
		text[i] = '\n';
	for (size_t at = TIMEBASE_PIECE - 60; at < TIMEBASE_PIECE + 40; at++) {
		static char copy[2 * TIMEBASE_PIECE];

		memcpy(copy, text, at);
		copy[at - 1] = '\n';
		strcpy(copy + at, line);
		expect_cpuinfo(copy, 512000000);
	}
	strcpy(text + sizeof text / 80 * 80 - 80, line);
	expect_cpuinfo(text, 512000000);
}

/* A file of another form is no answer. */
TEST_WITH(cpuinfo_of_something_else, clear_root, NULL)
{
	static char text[100000];

	memset(text, 'x', sizeof text - 1);
	strcpy(text + sizeof text - 30, "\ntimebase\t: 512000000\n");
	expect_cpuinfo(text, 0); /* a line longer than a piece */
	memset(text, 0, sizeof text);
	unit_write(ROOT_CPUINFO, text, sizeof text);
	expect_told(0);
	unlink(unit_path(ROOT_CPUINFO));
	assert_int_equal(mkdir(unit_path(ROOT_CPUINFO), 0755), 0);
	expect_told(0);
}

UNIT_MAIN("timebase", unit_folder_make, unit_folder_remove)
