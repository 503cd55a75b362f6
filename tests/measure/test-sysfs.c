/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Trees as kernels have them, trees that lie, and the tree of this machine. */

#include "config.h"

#include "unit.h"
#include "events/sysfs.h"

#include <errno.h>

/* Files of trees: path, text. */
struct file {
	const char *path, *text;
};

static void make(const struct file *files, size_t n)
{
	for (size_t i = 0; i < n; i++)
		unit_write_text(files[i].path, files[i].text);
}

static void make_x86(const char *tree)
{
	static const struct file files[] = {
		{ "cpu/type", "4\n" },
		{ "cpu/events/cpu-cycles", "event=0x3c\n" },
		{ "cpu/events/mem-loads", "event=0xcd,umask=0x1,ldlat=3\n" },
		{ "cpu/events/topdown-slots", "event=0x3c,umask=0x0,any=1\n" },
		{ "cpu/events/topdown-slots.scale", "2\n" },
		{ "cpu/events/topdown-slots.unit", "Slots\n" },
		{ "cpu/format/event", "config:0-7\n" },
		{ "cpu/format/umask", "config:8-15\n" },
		{ "cpu/format/edge", "config:18\n" },
		{ "cpu/format/any", "config:21\n" },
		{ "cpu/format/inv", "config:23\n" },
		{ "cpu/format/cmask", "config:24-31\n" },
		{ "cpu/format/ldlat", "config1:0-15\n" },
		{ "cpu/format/frontend", "config1:0-23\n" },
		{ "msr/type", "10\n" },
		{ "msr/events/tsc", "event=0x00\n" },
		{ "msr/format/event", "config:0-63\n" },
		{ "software/type", "1\n" },
		{ "uncore_imc/type", "12\n" },
		{ "uncore_imc/cpumask", "0\n" },
		{ "uncore_imc/format/event", "config:0-7,32-35\n" },
	};
	char path[128];

	for (size_t i = 0; i < N(files); i++) {
		snprintf(path, sizeof path, "%s/%s", tree, files[i].path);
		unit_write_text(path, files[i].text);
	}
}

static void expect_code(const char *tree, const char *pmu, const char *terms, uint64_t word0,
			uint64_t word1)
{
	struct event_config config = { .value = { 1, 2, 3 }, .taken = { 4, 5, 6 } };
	struct reason_text reason;
	const int error = event_sysfs_code(unit_path(tree), pmu, terms, &config, &reason);

	if (error)
		fail_msg("%s/%s/: %s", pmu, terms, reason.what);
	if (config.value[0] != word0 || config.value[1] != word1)
		fail_msg("%s/%s/: 0x%llx 0x%llx, expected 0x%llx 0x%llx", pmu, terms,
			 (unsigned long long)config.value[0], (unsigned long long)config.value[1],
			 (unsigned long long)word0, (unsigned long long)word1);
}

/* The reason has these words. */
static void expect_no_code(const char *tree, const char *pmu, const char *terms, int expected,
			   const char *words)
{
	struct event_config config;
	struct reason_text reason;
	const unsigned open = unit_open_descriptors();
	const int error = event_sysfs_code(unit_path(tree), pmu, terms, &config, &reason);

	if (error != expected)
		fail_msg("%s/%s/: error %d, expected %d", pmu, terms, error, expected);
	assert_int_equal(reason.error, -expected);
	if (!strstr(reason.what, words))
		fail_msg("%s/%s/: \"%s\", expected \"%s\" in it", pmu, terms, reason.what, words);
	assert_int_equal(event_sysfs_code(unit_path(tree), pmu, terms, &config, NULL), expected);
	assert_int_equal(unit_open_descriptors(), open);
}

TEST(codes_of_events_and_fields)
{
	make_x86("x86");
	expect_code("x86", "cpu", "cpu-cycles", 0x3c, 0);
	expect_code("x86", "cpu", "mem-loads", 0x1cd, 3);
	expect_code("x86", "cpu", "topdown-slots", 0x20003c, 0);
	expect_code("x86", "cpu", "event=0xc0,umask=0x1,inv,edge=1,cmask=2", 0x28401c0, 0);
	expect_code("x86", "cpu", "cpu-cycles,cmask=1", 0x100003c, 0);
	expect_code("x86", "cpu", "config=0x5300c0,config1=7", 0x5300c0, 7);
	expect_code("x86", "msr", "tsc", 0, 0);
	expect_code("x86", "uncore_imc", "event=0xabc", UINT64_C(0xa000000bc), 0);
}

TEST(codes_that_people_get_wrong)
{
	make_x86("x86");
	expect_no_code("x86", "cpu", "cpu-cycle", -ENOENT, "cpu-cycle");
	expect_no_code("x86", "cpu", "evnt=1", -ENOENT, "evnt");
	expect_no_code("x86", "cpux", "event=1", -ENOENT, "cpux");
	expect_no_code("x86", "..", "event=1", -ENOENT, "no PMU");
	expect_no_code("x86", "cpu/format", "event=1", -ENOENT, "no PMU");
	expect_no_code("x86", "cpu", "..=1", -ENOENT, "..");
	expect_no_code("x86", "cpu", "event=0x100", -EINVAL, "config:0-7");
	expect_no_code("x86", "cpu", "event=1,event=1", -EINVAL, "event");
	expect_no_code("x86", "cpu", "cpu-cycles,event=1", -EINVAL, "event");
	expect_no_code("x86", "cpu", "ldlat=1,frontend=1", -EINVAL, "frontend");
	expect_no_code("x86", "cpu", "config=1,umask=1", -EINVAL, "umask");
	expect_no_code("x86", "cpu", "config3=1", -ENOENT, "config3");
	expect_no_code("x86", "cpu", "event=", -EINVAL, "event=");
	expect_no_code("x86", "cpu", "", -EINVAL, "expected");
	expect_no_code("x86", "cpu", "event=1,", -EINVAL, "event=1,");
	expect_no_code("x86", "software", "event=1", -ENOENT, "\"format\"");
	expect_no_code("x86", "uncore_imc", "name", -ENOENT, "name");
	expect_no_code("no-tree", "cpu", "event=1", -ENOENT, "cpu");
}

TEST(parts_of_a_raw_event)
{
	const struct event_parts all = { true, true, true, 0x0f, 2 }, none = { .count = 0 };
	struct event_config config = { .value = { 0xc0 } };
	struct reason_text reason;

	make_x86("x86");
	assert_int_equal(event_sysfs_parts(unit_path("x86"), "cpu", &all, &config, &reason), 0);
	assert_int_equal(config.value[0], 0x2840fc0);

	config = (struct event_config){ .value = { 0x1c0 } };
	assert_int_equal(event_sysfs_parts(unit_path("x86"), "cpu", &none, &config, &reason), 0);
	assert_int_equal(config.value[0], 0x1c0);
	assert_int_equal(event_sysfs_parts(unit_path("x86"), "cpu", &all, &config, &reason),
			 -EINVAL);
	assert_non_null(strstr(reason.what, "umask"));
	assert_int_equal(event_sysfs_parts(unit_path("x86"), "uncore_imc", &all, &config, &reason),
			 -ENOENT);
	assert_non_null(strstr(reason.what, "umask"));
	assert_int_equal(event_sysfs_parts(unit_path("x86"), "none", &none, &config, &reason),
			 -ENOENT);
}

/* What a driver or a container may show, and what is then said. */
TEST(fields_that_lie)
{
	static const struct file files[] = {
		{ "liar/p/type", "20\n" },
		{ "liar/p/format/event", "config:0-7\n" },
		{ "liar/p/format/over", "config:7-9\n" },
		{ "liar/p/format/three", "config3:0-7\n" },
		{ "liar/p/format/down", "config:7-0\n" },
		{ "liar/p/format/twice", "config:0-7,4-5\n" },
		{ "liar/p/format/empty", "" },
		{ "liar/p/format/control", "config:0-7\033[31m\n" },
		{ "liar/p/format/lines", "config:0-7\nconfig:8\n" },
		{ "liar/p/format/folder/x", "" },
		{ "liar/p/events/overlap", "event=1,over=1\n" },
		{ "liar/p/events/stranger", "event=1,umask=1\n" },
		{ "liar/p/events/ask", "event=1,core=?\n" },
		{ "liar/p/events/first-ask", "event=?,over=1\n" },
		{ "liar/p/events/empty", "\n" },
		{ "liar/p/events/text", "event 1\n" },
		{ "liar/p/events/itself", "itself\n" },
		{ "liar/p/events/large", "event=0x100\n" },
		{ "liar/p/events/end", "event=1,\n" },
		{ "liar/p/events/folder/x", "" },
		{ "liar/q/type", "21\n" },
		{ "liar/q/events/one", "event=1\n" },
		{ "liar/r/type", "22\n" },
		{ "liar/r/events", "event=1\n" },
		{ "liar/r/format", "config:0-7\n" },
	};
	char big[4096];

	make(files, N(files));
	memset(big, '1', sizeof big);
	memcpy(big, "config:0", 8);
	unit_write("liar/p/format/big", big, sizeof big);
	unit_write("liar/p/format/zero", "config:0-7\0\n", 12);
	mkfifo(unit_path("liar/p/format/fifo"), 0644);
	assert_int_equal(symlink("loop", unit_path("liar/p/format/loop")), 0);

	expect_no_code("liar", "p", "overlap", -EINVAL, "over is config:7-9");
	expect_no_code("liar", "p", "three=1", -EINVAL, "config3:0-7");
	expect_no_code("liar", "p", "down=1", -EINVAL, "config:7-0");
	expect_no_code("liar", "p", "twice=1", -EINVAL, "config:0-7,4-5");
	expect_no_code("liar", "p", "empty=1", -EINVAL, "format/empty");
	expect_no_code("liar", "p", "control=1", -EINVAL, "format/control");
	expect_no_code("liar", "p", "lines=1", -EINVAL, "format/lines");
	expect_no_code("liar", "p", "big=1", -EINVAL, "format/big");
	expect_no_code("liar", "p", "zero=1", -EINVAL, "format/zero");
	expect_no_code("liar", "p", "fifo=1", -EINVAL, "format/fifo");
	expect_no_code("liar", "p", "folder=1", -EINVAL, "format/folder");
	expect_no_code("liar", "p", "loop=1", -ELOOP, "format/loop");
	expect_no_code("liar", "p", "stranger", -EINVAL, "p/stranger/ uses the field umask");
	expect_no_code("liar", "p", "ask", -EINVAL, "core=?");
	expect_no_code("liar", "p", "first-ask", -EINVAL, "event=?");
	expect_no_code("liar", "p", "empty", -EINVAL, "events/empty");
	expect_no_code("liar", "p", "text", -EINVAL, "event 1");
	expect_no_code("liar", "p", "itself", -EINVAL, "uses the field itself");
	expect_no_code("liar", "p", "large", -EINVAL, "event=0x100");
	expect_no_code("liar", "p", "end", -EINVAL, "event=1,");
	expect_no_code("liar", "p", "folder", -EINVAL, "events/folder");
	expect_no_code("liar", "q", "one", -EINVAL, "\"format\" is missing");
	expect_no_code("liar", "r", "one", -ENOTDIR, "events/one");
	expect_no_code("liar", "r", "event=1", -ENOTDIR, "format/event");
}

TEST(pmus)
{
	struct reason_text reason;
	struct event_pmu pmu;

	make_x86("x86");
	assert_int_equal(event_sysfs_pmu(unit_path("x86"), "cpu", &pmu, &reason), 0);
	assert_string_equal(pmu.name, "cpu");
	assert_int_equal(pmu.type, 4);
	assert_true(pmu.core);
	assert_string_equal(pmu.cpus, "");
	assert_int_equal(event_sysfs_pmu(unit_path("x86"), "uncore_imc", &pmu, &reason), 0);
	assert_int_equal(pmu.type, 12);
	assert_false(pmu.core);
	assert_int_equal(event_sysfs_pmu(unit_path("x86"), "none", &pmu, &reason), -ENOENT);
	assert_non_null(strstr(reason.what, "none"));
}

TEST(types_that_are_none)
{
	static const char *const table[] = { "",   "\n",   "x\n",         "-1\n",  "4 4\n",
					     " 4", "4\n4", "2147483648",  "0\n",   "3\n",
					     "+4", "0x4",  "99999999999", "4\n\n", "4.0" };
	struct reason_text reason;
	struct event_pmu pmu;

	for (size_t i = 0; i < N(table); i++) {
		unit_write_text("types/p/type", table[i]);
		if (event_sysfs_pmu(unit_path("types"), "p", &pmu, &reason) != -EINVAL)
			fail_msg("\"%s\" is taken", table[i]);
		assert_non_null(strstr(reason.what, "p/type"));
	}
	unit_write_text("types/missing/format/event", "config:0-7\n");
	assert_int_equal(event_sysfs_pmu(unit_path("types"), "missing", &pmu, &reason), -EINVAL);
	assert_non_null(strstr(reason.what, "missing/type"));
	unit_write_text("types/folder/type/x", "4\n");
	assert_int_equal(event_sysfs_pmu(unit_path("types"), "folder", &pmu, &reason), -EINVAL);
}

TEST(kinds_of_core)
{
	static const struct file files[] = {
		{ "hybrid/cpu_core/type", "4\n" },     { "hybrid/cpu_core/cpus", "0-7\n" },
		{ "hybrid/cpu_atom/type", "10\n" },    { "hybrid/cpu_atom/cpus", "8-15,17\n" },
		{ "hybrid/cpu_off/type", "11\n" },     { "hybrid/cpu_off/cpus", "\n" },
		{ "hybrid/uncore/type", "nothing\n" }, { "hybrid/uncore/cpumask", "0\n" },
		{ "hybrid/Odd.one-2/type", "12\n" },   { "hybrid/Odd.one-2/cpus", "16\n" },
		{ "hybrid/not here/cpus", "16\n" },    { "hybrid/file", "16\n" },
	};
	struct event_pmu found[EVENT_KINDS_MAX], pmu;
	struct reason_text reason = { 0 };
	unsigned n;

	make(files, N(files));
	assert_int_equal(event_sysfs_cores(unit_path("hybrid"), found, &n, &reason), 0);
	assert_string_equal(reason.what, "");
	assert_int_equal(n, 3);
	assert_string_equal(found[0].name, "Odd.one-2");
	assert_string_equal(found[1].name, "cpu_atom");
	assert_string_equal(found[1].cpus, "8-15,17");
	assert_int_equal(found[1].type, 10);
	assert_string_equal(found[2].name, "cpu_core");
	assert_true(found[2].core);
	assert_int_equal(event_sysfs_pmu(unit_path("hybrid"), "cpu_off", &pmu, NULL), -ENOENT);

	unit_write_text("hybrid/cpu_atom/cpus", "some\n");
	assert_int_equal(event_sysfs_cores(unit_path("hybrid"), found, &n, &reason), -EINVAL);
	assert_int_equal(n, 0);
	assert_non_null(strstr(reason.what, "/cpu_atom/cpus: no list of CPUs"));
	unit_write_text("hybrid/cpu_atom/cpus", "0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,"
						"36,38,40,42,44,46\n");
	assert_int_equal(event_sysfs_pmu(unit_path("hybrid"), "cpu_atom", &pmu, NULL), 0);
	assert_int_equal(strlen(pmu.cpus), sizeof pmu.cpus - 1);
	assert_string_equal(pmu.cpus + strlen(pmu.cpus) - 3, "...");
}

TEST(one_kind_none_and_too_many)
{
	struct event_pmu found[EVENT_KINDS_MAX];
	char path[64];
	unsigned n;

	make_x86("x86");
	assert_int_equal(event_sysfs_cores(unit_path("x86"), found, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_string_equal(found[0].name, "cpu");
	assert_int_equal(event_sysfs_cores(unit_path("no-tree"), found, &n, NULL), 0);
	assert_int_equal(n, 0);
	for (int i = 0; i <= EVENT_KINDS_MAX; i++) {
		snprintf(path, sizeof path, "many/kind%d/type", i);
		unit_write_text(path, "9\n");
		snprintf(path, sizeof path, "many/kind%d/cpus", i);
		unit_write_text(path, "1\n");
		assert_int_equal(event_sysfs_cores(unit_path("many"), found, &n, NULL),
				 i < EVENT_KINDS_MAX ? 0 : -E2BIG);
		assert_int_equal(n, i < EVENT_KINDS_MAX ? i + 1 : 0);
	}
}

/* Lists: all lines in one text. */
struct lines {
	char text[16384];
	int left; /* so many more calls until it stops */
};

static bool add_line(void *context, const struct event_pmu *pmu, const char *event,
		     const char *what)
{
	struct lines *lines = context;
	const size_t length = strlen(lines->text);

	snprintf(lines->text + length, sizeof lines->text - length, "%s %s %s\n", pmu->name, event,
		 what);
	return --lines->left > 0;
}

TEST(lists_in_order)
{
	struct lines lines = { .left = 1000 };

	make_x86("list");
	assert_int_equal(event_sysfs_list(unit_path("list"), add_line, &lines), 0);
	assert_string_equal(lines.text, "cpu cpu-cycles event=0x3c\n"
					"cpu mem-loads event=0xcd,umask=0x1,ldlat=3\n"
					"cpu topdown-slots event=0x3c,umask=0x0,any=1\n"
					"msr tsc event=0x00\n");
	lines = (struct lines){ .left = 2 };
	assert_int_equal(event_sysfs_list(unit_path("list"), add_line, &lines), 0);
	assert_string_equal(lines.text, "cpu cpu-cycles event=0x3c\n"
					"cpu mem-loads event=0xcd,umask=0x1,ldlat=3\n");
	lines = (struct lines){ .left = 1 };
	assert_int_equal(event_sysfs_list(unit_path("no-tree"), add_line, &lines), 0);
	assert_string_equal(lines.text, "");
}

TEST(lists_without_what_makes_no_sense)
{
	static const struct file files[] = {
		{ "torn/a/type", "20\n" },
		{ "torn/a/events/bad", "event=1\001\n" },
		{ "torn/a/events/good", "event=2,core=?\n" },
		{ "torn/b/type", "none\n" },
		{ "torn/b/events/unseen", "event=1\n" },
		{ "torn/c/type", "21\n" },
	};
	struct lines lines = { .left = 1000 };

	make(files, N(files));
	assert_int_equal(event_sysfs_list(unit_path("torn"), add_line, &lines), -EINVAL);
	assert_string_equal(lines.text, "a good event=2,core=?\n");
}

/* More than are kept at once, in an order that is none. */
TEST(long_lists)
{
	struct lines lines = { .left = 1000 };
	char path[64], expected[32];
	const char *p = lines.text;

	unit_write_text("long/p/type", "20\n");
	for (unsigned i = 0; i < 211; i++) {
		snprintf(path, sizeof path, "long/p/events/e%03u", i * 97 % 211);
		unit_write_text(path, "event=1\n");
	}
	assert_int_equal(event_sysfs_list(unit_path("long"), add_line, &lines), 0);
	for (unsigned i = 0; i < 211; i++, p = strchr(p, '\n') + 1) {
		snprintf(expected, sizeof expected, "p e%03u event=1\n", i);
		assert_memory_equal(p, expected, strlen(expected));
	}
	assert_string_equal(p, "");
}

TEST(this_machine)
{
	struct lines lines = { .left = INT_MAX };
	struct event_pmu found[EVENT_KINDS_MAX];
	unsigned n;

	if (access(EVENT_SYSFS, R_OK))
		unit_skip("this machine has no " EVENT_SYSFS);
	assert_int_equal(event_sysfs_list(EVENT_SYSFS, add_line, &lines), 0);
	assert_int_equal(event_sysfs_cores(EVENT_SYSFS, found, &n, NULL), 0);
	printf("# kinds of core with a PMU: %u\n", n);
}

TEST(tsc_of_this_machine)
{
	struct event_config config;
	struct reason_text reason;
	struct event_pmu pmu;

	if (access(EVENT_SYSFS "/msr/events/tsc", R_OK))
		unit_skip("this machine has no PMU msr with the event tsc");
	if (event_sysfs_pmu(EVENT_SYSFS, "msr", &pmu, &reason))
		fail_msg("%s", reason.what);
	unit_in_range(pmu.type, 6, INT32_MAX);
	assert_false(pmu.core);
	if (event_sysfs_code(EVENT_SYSFS, "msr", "tsc", &config, &reason))
		fail_msg("%s", reason.what);
	assert_int_equal(config.value[0] | config.value[1] | config.value[2], 0);
	assert_true(config.taken[0] == UINT64_MAX);
}

UNIT_MAIN("sysfs", unit_folder_make, unit_folder_remove)
