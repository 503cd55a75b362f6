/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Lines of /proc, recorded and hostile ones. */

#include "config.h"

#include "unit.h"
#include "parse.h"

TEST(fields)
{
	assert_int_equal(parse_field("6310893 4411 9\n", 1), 4411);
	assert_int_equal(parse_field("  7", 0), 7);
	assert_true(parse_field("6310893", 1) == PARSE_UNKNOWN);
	assert_true(parse_field("", 0) == PARSE_UNKNOWN);
	assert_true(parse_field("1 -2", 1) == PARSE_UNKNOWN);
	assert_true(parse_field("max 100000", 0) == PARSE_UNKNOWN);
	assert_true(parse_field("12x", 0) == PARSE_UNKNOWN);
	assert_true(parse_field("99999999999999999999 1", 0) == PARSE_UNKNOWN);
}

TEST(after_a_key)
{
	const char *const stat = "nr_periods 22\nnr_throttled 18\nthrottled_time 478005405\n";

	assert_true(parse_after(stat, "throttled_time ") == 478005405);
	assert_true(parse_after(stat, "throttled_usec ") == PARSE_UNKNOWN);
	/* A longer name that ends in the same way is another one. */
	assert_int_equal(parse_after("not_nr_periods 1\nnr_periods 2", "nr_periods "), 2);
	assert_true(parse_after("nr_periods", "nr_periods ") == PARSE_UNKNOWN);
}

TEST(rises)
{
	assert_int_equal(parse_rise(2, 5), 3);
	assert_true(parse_rise(5, 2) == PARSE_UNKNOWN);
	assert_true(parse_rise(PARSE_UNKNOWN, 2) == PARSE_UNKNOWN);
	assert_true(parse_rise(2, PARSE_UNKNOWN) == PARSE_UNKNOWN);
}

TEST(columns)
{
	const char *const header = "           CPU0       CPU2       CPU511     ";

	assert_int_equal(parse_column(header, 0), 0);
	assert_int_equal(parse_column(header, 2), 1);
	assert_int_equal(parse_column(header, 511), 2);
	assert_true(parse_column(header, 1) == PARSE_NO_COLUMN);
	assert_true(parse_column(header, -1) == PARSE_NO_COLUMN);
	assert_true(parse_column("", 0) == PARSE_NO_COLUMN);
	assert_true(parse_column("CPU CPUx CPU", 0) == PARSE_NO_COLUMN);
}

static void row_is(const char *line, size_t column, const char *key, const char *name,
		   uint64_t count)
{
	struct parse_row row;

	assert_true(parse_row(line, column, &row));
	assert_string_equal(row.key, key);
	assert_string_equal(row.name, name);
	assert_true(row.count == count);
}

TEST(rows)
{
	struct parse_row row;

	row_is(" 36:          0    2549934 PCI-MSIX-0000:00:02.0   1-edge      virtio1-req.0", 1,
	       "36", "virtio1-req.0", 2549934);
	row_is("LOC:    7373750    6873439   Local timer interrupts", 0, "LOC",
	       "Local timer interrupts", 7373750);
	row_is("      NET_RX:      20247      23240", 1, "NET_RX", "NET_RX", 23240);
	row_is("  9:   3   IO-APIC   9-fasteoi \n", 0, "9", "9-fasteoi", 3);
	row_is("X: 1 \033[2Jname", 0, "X", "?[2Jname", 1);
	/* The line has one count, for all CPUs. */
	assert_false(parse_row("ERR:          0", 1, &row));
	assert_false(parse_row("no colon", 0, &row));
	assert_false(parse_row("A: -1", 0, &row));
	assert_false(parse_row("A: 99999999999999999999", 0, &row));
	assert_false(parse_row("LOC: 1 2", PARSE_NO_COLUMN, &row));
	assert_false(parse_row("a-key-that-is-as-long-as-this-one-is: 1", 0, &row));
	assert_false(parse_row("", 0, &row));
}

/* A line of a machine with 512 CPUs, and a name that is longer than any room. */
TEST(long_rows)
{
	static char line[20000];
	struct parse_row row;

	strcpy(line, "LOC:");
	for (int cpu = 0; cpu < 512; cpu++)
		sprintf(line + strlen(line), " %10d", cpu);
	memset(line + strlen(line), 'n', 5000);
	assert_true(parse_row(line, 510, &row));
	assert_int_equal(row.count, 510);
	/* The last count runs into the name. */
	assert_false(parse_row(line, 511, &row));
	strcpy(line, "1: 1 ");
	memset(line + 5, 'n', 5000);
	assert_true(parse_row(line, 0, &row));
	assert_int_equal(strlen(row.name), PARSE_NAME - 1);
}

TEST(cgroups)
{
	struct parse_cgroup cgroup;

	assert_true(parse_cgroup("0::/user.slice", "cpu", &cgroup));
	assert_true(cgroup.unified);
	assert_string_equal(cgroup.path, "/user.slice");
	assert_true(parse_cgroup("4:cpu,cpuacct:/a", "cpu", &cgroup));
	assert_false(cgroup.unified);
	assert_string_equal(cgroup.controllers, "cpu,cpuacct");
	assert_true(parse_cgroup("4:cpuacct,cpu:/a:b", "cpu", &cgroup));
	assert_string_equal(cgroup.path, "/a:b");
	assert_true(parse_cgroup("5:hugetlb,memory:/", "memory", &cgroup));
	assert_false(parse_cgroup("3:cpuset:/", "cpu", &cgroup));
	assert_false(parse_cgroup("2:cpuacct:/", "cpu", &cgroup));
	assert_false(parse_cgroup("9:name=systemd:/", "cpu", &cgroup));
	assert_false(parse_cgroup("0::", "cpu", &cgroup));
	assert_false(parse_cgroup("0:", "cpu", &cgroup));
	assert_false(parse_cgroup("", "cpu", &cgroup));
	assert_false(parse_cgroup("1:cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu,cpu:/", "cpu", &cgroup));
}

TEST(programs)
{
	struct parse_program program;

	assert_true(parse_program("123 (a) b (c)) R 1 1 1 0 -1 4194304 91 0 0 0 30 12 0 0 20",
				  &program));
	assert_string_equal(program.name, "a) b (c)");
	assert_int_equal(program.pid, 123);
	assert_int_equal(program.ticks, 42);
	assert_true(program.cpu == PARSE_UNKNOWN);
	assert_true(
		parse_program("31 (busy) R 1 31 1 0 -1 4194304 85 0 0 0 54 1 0 0 20 0 1 0 9 2 3 "
			      "4 5 6 7 8 9 0 0 0 0 0 0 0 17 511 0 0 0 0 0",
			      &program));
	assert_int_equal(program.cpu, 511);
	assert_true(parse_program("1 (\n\033) R 1 1 1 0 -1 4194304 91 0 0 0 30 12", &program));
	assert_string_equal(program.name, "??");
	assert_false(parse_program("123 (cat) R 1 1 1 0 -1 4194304 91 0 0 0 30", &program));
	assert_false(parse_program(")(", &program));
	assert_false(parse_program("", &program));
	assert_false(parse_program("1 (a) R 1 1 1 0 -1 4 91 0 0 0 18446744073709551614 "
				   "18446744073709551614",
				   &program));
}

UNIT_MAIN("parse", NULL, NULL)
