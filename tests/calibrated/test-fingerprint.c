/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "fingerprint.h"
#include "tree.h"

#include <errno.h>

static void take(const char *root, char fingerprint[CACHE_FINGERPRINT_SIZE])
{
	static char cpuinfo[FINGERPRINT_CPUINFO_SIZE];

	tree_read(root, "/proc/cpuinfo", cpuinfo, sizeof cpuinfo);
	fingerprint_take(root, cpuinfo, fingerprint);
}

TEST(volatile_lines_go)
{
	char text[] =
		"processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 2596.140\nmicrocode\t: 0x1\n"
		"bogomips\t: 5192.28\nclock\t\t: 3550.0MHz\ncore id\t\t: 3\nclock sources\t: a\n"
		"\nprocessor\t: 1\nmodel name\t: Y\n";

	fingerprint_stable_cpuinfo(text);
	assert_string_equal(text, "model name\t: X\nmicrocode\t: 0x1\nclock sources\t: a\n");
}

TEST(text_without_newline)
{
	char text[] = "cpu MHz\t: 1\nflags\t: a b";

	fingerprint_stable_cpuinfo(text);
	assert_string_equal(text, "flags\t: a b");
}

/* Make all folders above the file. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
		*slash = '/';
	}
}

/* Write a file below the made root folder. */
static void write_file(const char *root, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof path, "%s%s", root, name);
	make_folders(path);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Remove the file, and the folders above that are empty then, up to the root: the folder that has
 * the root may be empty, too. */
static void remove_file(const char *root, const char *name)
{
	char path[256];

	snprintf(path, sizeof path, "%s%s", root, name);
	unlink(path);
	do {
		*strrchr(path, '/') = 0;
		rmdir(path);
	} while (strlen(path) > strlen(root));
}

/* The parts that differ between two fingerprints of the same cheap identity. */
static const char *changes(const char *old, const char *new)
{
	static char text[FINGERPRINT_CHANGES_SIZE];
	static struct cache a, b;

	strcpy(a.machine, "x86_64");
	strcpy(b.machine, "x86_64");
	strcpy(a.fingerprint, old);
	strcpy(b.fingerprint, new);
	memset(text, 'x', sizeof text);
	assert_int_equal(fingerprint_changes(&a, &b, text), strcmp(old, new) != 0);
	assert_int_equal(*text != 0, strcmp(old, new) != 0);
	return text;
}

TEST(cpuinfo_decides)
{
	char root[] = "/tmp/fingerprint-XXXXXX";
	char first[CACHE_FINGERPRINT_SIZE], same[CACHE_FINGERPRINT_SIZE],
		other[CACHE_FINGERPRINT_SIZE];

	assert_non_null(mkdtemp(root));
	write_file(root, "/proc/cpuinfo", "model name\t: X\ncpu MHz\t: 1000.0\n");
	take(root, first);
	write_file(root, "/proc/cpuinfo", "model name\t: X\ncpu MHz\t: 1000.1\n");
	take(root, same);
	write_file(root, "/proc/cpuinfo", "model name\t: Y\ncpu MHz\t: 1000.1\n");
	take(root, other);
	remove_file(root, "/proc/cpuinfo");
	assert_string_equal(first, same);
	assert_string_equal(changes(first, other), "cpu");
}

/* The files that tell the machine and its knobs, and the part that each belongs to. */
static const struct {
	const char *path, *part;
} files[] = {
	{ "/sys/devices/system/cpu/possible", "cpus" },
	{ "/sys/devices/system/cpu/online", "cpus-online" },
	{ "/sys/hypervisor/type", "hypervisor" },
	{ "/sys/class/dmi/id/sys_vendor", "platform" },
	{ "/sys/class/dmi/id/product_name", "platform" },
	{ "/proc/device-tree/model", "platform" },
	{ "/proc/sys/kernel/perf_event_paranoid", "perf_event_paranoid" },
	{ "/proc/sys/kernel/perf_user_access", "perf_user_access" },
	{ "/proc/sys/kernel/nmi_watchdog", "nmi_watchdog" },
	{ "/sys/bus/event_source/devices/cpu/rdpmc", "cpu/rdpmc" },
	{ "/sys/bus/event_source/devices/cpu_core/rdpmc", "cpu_core/rdpmc" },
	{ "/sys/bus/event_source/devices/cpu_atom/rdpmc", "cpu_atom/rdpmc" },
	{ "/sys/devices/system/clocksource/clocksource0/current_clocksource", "clocksource" },
};

#define FILES (sizeof files / sizeof files[0])

static void expect_changes(const char *path, const char *old, const char *new, const char *part)
{
	if (strcmp(changes(old, new), part))
		fail_msg("%s: got \"%s\", expected \"%s\": %s, %s", path, changes(old, new), part,
			 old, new);
}

/* Another word in a file, a word where there was no file, or no file any more changes its part. */
TEST(each_file_decides)
{
	char none[CACHE_FINGERPRINT_SIZE], first[CACHE_FINGERPRINT_SIZE],
		other[CACHE_FINGERPRINT_SIZE];

	for (size_t i = 0; i < FILES; i++) {
		char root[] = "/tmp/fingerprint-XXXXXX";

		assert_non_null(mkdtemp(root));
		take(root, none);
		write_file(root, files[i].path, "1\n");
		take(root, first);
		write_file(root, files[i].path, "2\n");
		take(root, other);
		remove_file(root, files[i].path);
		expect_changes(files[i].path, none, first, files[i].part);
		expect_changes(files[i].path, first, other, files[i].part);
		expect_changes(files[i].path, other, none, files[i].part);
	}
}

/* The three files of the platform go into one hash, and each of them counts beside the others. */
TEST(files_of_one_part)
{
	char before[CACHE_FINGERPRINT_SIZE], after[CACHE_FINGERPRINT_SIZE];
	char root[] = "/tmp/fingerprint-XXXXXX";

	assert_non_null(mkdtemp(root));
	take(root, before);
	for (size_t i = 3; i < 6; i++) {
		write_file(root, files[i].path, "same word\n");
		take(root, after);
		expect_changes(files[i].path, before, after, "platform");
		strcpy(before, after);
	}
	for (size_t i = 3; i < 6; i++)
		remove_file(root, files[i].path);
}

/* A machine that has all files has each part once, in words of a name and eight digits. */
TEST(all_parts_fit)
{
	static const char *const parts[] = {
		"library",
		"counters",
		"kernel",
		"cpu",
		"cpus",
		"cpus-online",
		"hypervisor",
		"platform",
		"perf_event_paranoid",
		"perf_user_access",
		"nmi_watchdog",
		"cpu/rdpmc",
		"cpu_core/rdpmc",
		"cpu_atom/rdpmc",
		"clocksource",
	};
	char fingerprint[CACHE_FINGERPRINT_SIZE], root[] = "/tmp/fingerprint-XXXXXX";
	const char *p = fingerprint;

	assert_non_null(mkdtemp(root));
	for (size_t i = 0; i < FILES; i++)
		write_file(root, files[i].path, "1\n");
	take(root, fingerprint);
	for (size_t i = 0; i < FILES; i++)
		remove_file(root, files[i].path);
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		const size_t length = strlen(parts[i]);

		assert_int_equal(strncmp(p, parts[i], length), 0);
		p += length;
		assert_int_equal(*p++, ':');
		assert_int_equal(strspn(p, "0123456789abcdef"), 8);
		p += 8;
		assert_true(*p == (i + 1 < sizeof parts / sizeof parts[0] ? ' ' : 0));
		p++;
	}
}

TEST(names_of_changes)
{
	static const struct {
		const char *old, *new, *names;
	} cases[] = {
		{ "a:1 b:2 c:3", "a:1 b:2 c:3", "" },
		{ "a:1 b:2 c:3", "a:2 b:2 c:3", "a" },
		{ "a:1 b:2 c:3", "a:1 b:3 c:4", "b, c" },
		{ "a:1 b:2", "a:1 b:2 c:3", "c" },
		{ "a:1 b:2 c:3", "a:1 b:2", "c" },
		{ "a:1 b:2", "a:1 c:2", "c, b" },
		{ "a:1 aa:2", "a:1 aa:3", "aa" },
		{ "aa:1 a:2", "aa:1 a:3", "a" },
		{ "aa:1 a:2 b:1", "aa:1 a:2 b:2", "b" },
		{ "a:1", "a:12", "a" },
		{ "a:12", "a:1", "a" },
		{ "a:1 b:1", "a:1 b:11", "b" },
		{ "a:1 b:2", "b:2 a:1", "fingerprint" },
		{ "0123456789abcdef", "a:1 b:2", "a, b" },
		{ "0123456789abcdef", "fedcba9876543210", "fingerprint" },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		expect_changes("made", cases[i].old, cases[i].new, cases[i].names);
}

TEST(machine_differs)
{
	static struct cache old = { .machine = "x86_64-1", .fingerprint = "cpu:1" },
			    new = { .machine = "x86_64-2", .fingerprint = "cpu:1" };
	char text[FINGERPRINT_CHANGES_SIZE];

	assert_true(fingerprint_changes(&old, &new, text));
	assert_string_equal(text, "machine");
	strcpy(new.fingerprint, "cpu:2");
	assert_true(fingerprint_changes(&old, &new, text));
	assert_string_equal(text, "machine, cpu");
}

/* The longest fingerprints, of which every name is told. */
TEST(longest)
{
	char old[CACHE_FINGERPRINT_SIZE] = "", new[CACHE_FINGERPRINT_SIZE] = "";
	const size_t most = (CACHE_FINGERPRINT_SIZE - 1) / 4;
	const char *text;
	size_t commas = 0;

	for (size_t i = 0; i < most; i++) {
		snprintf(old + 4 * i, 5, "%c:1 ", (char)(i % 2 ? 'a' : 'b'));
		snprintf(new + 4 * i, 5, "%c:1 ", (char)(i % 2 ? 'c' : 'd'));
	}
	text = changes(old, new);
	for (const char *p = text; *p; p++)
		commas += *p == ',';
	assert_int_equal(commas, 2 * most - 1);
	assert_int_equal(strlen(text), 3 * 2 * most - 2);
}

UNIT_MAIN("fingerprint", NULL, NULL)
