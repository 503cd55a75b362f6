/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The kernel's accounts, in folders with a made /proc and /sys. */

#include "config.h"

#include "unit.h"
#include "account.h"
#include "own.h"
#include "programs.h"
#include "quota.h"

static struct account account;
static struct quota quota;

TEST(without_proc)
{
	static struct programs programs;
	struct own own;

	account_read("/nowhere", 0, &account);
	assert_true(account.steal == PARSE_UNKNOWN);
	assert_false(account.interrupts.known);
	assert_false(account.softirqs.known);
	quota_read("/nowhere", &quota);
	assert_false(quota.known);
	programs_look("/nowhere", UINT64_MAX, &programs, NULL, NULL);
	assert_int_equal(programs.n, 0);
	own_open(&own, "/nowhere");
	assert_false(own_read(&own).known);
	own_close(&own);
}

TEST(one_cpu)
{
	unit_write_text("proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\n"
				     "cpu11 1 2 3 4 5 6 7 90 0 0\n"
				     "cpu1 1 2 3 4 5 6 7 80 0 0\nintr 5\n");
	unit_write_text("proc/interrupts", "      CPU1  CPU11\n  4: 0 14 IO-APIC 4-edge ttyS0\n"
					   "LOC: 7 8  Local timer interrupts\nERR: 0\n");
	unit_write_text("proc/softirqs", "      CPU1  CPU11\nTIMER: 3 4\n");
	account_read(unit_folder, 11, &account);
	assert_int_equal(account.steal / 90, 1000000000 / sysconf(_SC_CLK_TCK));
	assert_int_equal(account.interrupts.n, 2);
	assert_string_equal(account.interrupts.row[0].name, "ttyS0");
	assert_int_equal(account.interrupts.row[1].count, 8);
	assert_int_equal(account.softirqs.row[0].count, 4);
	/* What a CPU never had is left out. */
	account_read(unit_folder, 1, &account);
	assert_int_equal(account.interrupts.n, 1);
	assert_int_equal(account.steal / 80, 1000000000 / sysconf(_SC_CLK_TCK));
	/* A CPU that is offline. */
	account_read(unit_folder, 2, &account);
	assert_true(account.steal == PARSE_UNKNOWN);
	assert_false(account.interrupts.known);
}

TEST(more_rows_than_room)
{
	static char text[50000] = " CPU0\n";

	for (int i = 0; i < 2 * ACCOUNT_ROWS; i++)
		sprintf(text + strlen(text), "%d: 1 x\n", i);
	unit_write_text("proc/interrupts", text);
	account_read(unit_folder, 0, &account);
	assert_int_equal(account.interrupts.n, ACCOUNT_ROWS);
	/* A line without an end, and bytes that are no text. */
	unit_write_text("proc/interrupts", " CPU0\n\xff\xfe: 5");
	account_read(unit_folder, 0, &account);
	assert_int_equal(account.interrupts.n, 1);
	assert_string_equal(account.interrupts.row[0].name, "??");
}

TEST(quota_of_version_2)
{
	unit_write_text("proc/self/cgroup", "0::/a/b\n");
	unit_write_text("sys/fs/cgroup/cpu.stat", "usage_usec 5\n");
	unit_write_text("sys/fs/cgroup/a/cpu.max", "50000 100000\n");
	unit_write_text("sys/fs/cgroup/a/cpu.stat", "usage_usec 5\nthrottled_usec 7\n");
	unit_write_text("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	unit_write_text("sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\nthrottled_usec 0\n");
	quota_read(unit_folder, &quota);
	assert_true(quota.known && quota.unified);
	assert_int_equal(quota.throttled, 7000);
	assert_true(quota.cpus > 0.49 && quota.cpus < 0.51);
	assert_string_equal(quota.file, "/sys/fs/cgroup/a/cpu.max");
	/* A cgroup namespace whose own group is not the one that is mounted. */
	unit_write_text("proc/self/mountinfo",
			"31 23 0:28 / / rw - ext4 /dev/vda rw\n"
			"35 31 0:32 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
	quota_read(unit_folder, &quota);
	assert_false(quota.known);
	unit_write_text("proc/self/mountinfo",
			"35 31 0:32 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
			"36 31 0:32 /.. /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
	/* A group that cannot be seen lies at the mount of a container, or above it. */
	unit_write_text("proc/self/cgroup", "0::/docker/1234\n");
	quota_read(unit_folder, &quota);
	assert_true(quota.known);
	assert_int_equal(quota.throttled, 0);
	/* Lies. */
	unit_write_text("proc/self/cgroup", "0::/a\n");
	unit_write_text("sys/fs/cgroup/a/cpu.max", "0 0\n");
	unit_write_text("sys/fs/cgroup/a/cpu.stat", "throttled_usec 18446744073709551614\n");
	quota_read(unit_folder, &quota);
	assert_int_equal(quota.throttled, 0);
	assert_true(quota.cpus == 0);
	assert_string_equal(quota.file, "");
}

TEST(quota_of_version_1)
{
	unit_write_text("proc/self/cgroup", "3:cpuset:/x\n1:cpu,cpuacct:/q\n0::/\n");
	unit_write_text("sys/fs/cgroup/cpu,cpuacct/q/cpu.cfs_quota_us", "20000\n");
	unit_write_text("sys/fs/cgroup/cpu,cpuacct/q/cpu.cfs_period_us", "100000\n");
	unit_write_text("sys/fs/cgroup/cpu,cpuacct/q/cpu.stat", "throttled_time 9\n");
	unit_write_text("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
	unit_write_text("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
	quota_read(unit_folder, &quota);
	assert_true(quota.known && !quota.unified);
	assert_int_equal(quota.throttled, 9);
	assert_true(quota.cpus > 0.19 && quota.cpus < 0.21);
	assert_string_equal(quota.file, "/sys/fs/cgroup/cpu,cpuacct/q/cpu.cfs_quota_us");
}

/* start: in ticks since boot; this program: 900. */
static void write_program(int pid, const char *name, int ticks, int start)
{
	char path[64], text[200];

	snprintf(path, sizeof path, "p/proc/%d/stat", pid);
	snprintf(text, sizeof text, "%d (%s) R 1 1 1 0 -1 4 9 0 0 0 %d 0 0 0 20 0 1 0 %d\n", pid,
		 name, ticks, start);
	unit_write_text(path, text);
}

TEST(programs_that_ran_most)
{
	static struct programs before, after;
	struct programs_most most = { 0 };
	char root[100];

	snprintf(root, sizeof root, "%s/p", unit_folder);
	write_program(10, "old", 1000, 5);
	write_program(20, "some", 5, 5);
	write_program(getpid(), "this one", 5, 900);
	unit_write_text("p/proc/self/stat", "1 (self) R 1 1 1 0 -1 4 9 0 0 0 9 9 0 0 20 0 1 0 900");
	programs_look(root, UINT64_MAX, &before, NULL, NULL);
	assert_int_equal(before.n, 2);
	assert_true(before.whole);
	write_program(20, "some", 25, 5);
	programs_look(root, UINT64_MAX, &after, &before, &most);
	assert_string_equal(most.program[0].name, "some");
	assert_int_equal(most.program[0].ticks, 20);
	assert_string_equal(most.program[1].name, "");
	assert_true(most.whole);
	/* One that the first look did not reach ran before, and one that is new did not. */
	write_program(30, "missed", 5000, 899);
	write_program(40, "new", 30, 900);
	programs_look(root, UINT64_MAX, &after, &before, &most);
	assert_string_equal(most.program[0].name, "new");
	assert_string_equal(most.program[1].name, "some");
	/* No time is left. */
	programs_look(root, 0, &after, &before, &most);
	assert_int_equal(after.n, 0);
	assert_false(most.whole);
}

TEST(ranking)
{
	struct programs_most most = { 0 };

	for (uint64_t ticks = 1; ticks <= 5; ticks++)
		programs_rank(&most, &(struct parse_program){ .pid = ticks, .ticks = ticks });
	programs_rank(&most, &(struct parse_program){ .pid = 9, .ticks = 4 });
	programs_rank(&most, &(struct parse_program){ .pid = 8, .ticks = 1 });
	assert_int_equal(most.program[0].pid, 5);
	assert_int_equal(most.program[1].pid, 4);
	assert_int_equal(most.program[2].pid, 9);
}

UNIT_MAIN("accounts", unit_folder_make, unit_folder_remove)
