/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "fingerprint.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static void volatile_lines_go(void **state)
{
	char text[] =
		"processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 2596.140\nmicrocode\t: 0x1\n"
		"bogomips\t: 5192.28\nclock\t\t: 3550.0MHz\ncore id\t\t: 3\nclock sources\t: a\n"
		"\nprocessor\t: 1\nmodel name\t: Y\n";

	(void)state;
	fingerprint_stable_cpuinfo(text);
	assert_string_equal(text, "model name\t: X\nmicrocode\t: 0x1\nclock sources\t: a\n");
}

static void text_without_newline(void **state)
{
	char text[] = "cpu MHz\t: 1\nflags\t: a b";

	(void)state;
	fingerprint_stable_cpuinfo(text);
	assert_string_equal(text, "flags\t: a b");
}

/* Make all folders above the file. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
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

/* Remove the file, and the folders above that are empty then. */
static void remove_file(const char *root, const char *name)
{
	char path[256];
	char *slash;

	snprintf(path, sizeof path, "%s%s", root, name);
	unlink(path);
	while ((slash = strrchr(path, '/'))) {
		*slash = 0;
		rmdir(path);
	}
}

static void facts_decide(void **state)
{
	char root[] = "fingerprint-XXXXXX";
	char first[CACHE_FINGERPRINT_SIZE], same[CACHE_FINGERPRINT_SIZE],
		other[CACHE_FINGERPRINT_SIZE];

	(void)state;
	assert_non_null(mkdtemp(root));
	write_file(root, "/proc/cpuinfo", "model name\t: X\ncpu MHz\t: 1000.0\n");
	fingerprint_take(root, first);
	write_file(root, "/proc/cpuinfo", "model name\t: X\ncpu MHz\t: 1000.1\n");
	fingerprint_take(root, same);
	write_file(root, "/proc/cpuinfo", "model name\t: Y\ncpu MHz\t: 1000.1\n");
	fingerprint_take(root, other);
	remove_file(root, "/proc/cpuinfo");
	assert_int_equal(strlen(first), CACHE_FINGERPRINT_SIZE - 1);
	assert_string_equal(first, same);
	assert_string_not_equal(first, other);
}

/* The files that tell the machine and its knobs. Another word in any of them, or a word where there
 * was no file, makes another machine. */
static void each_file_decides(void **state)
{
	static const char *const files[] = {
		"/sys/devices/system/cpu/online",
		"/sys/hypervisor/type",
		"/sys/class/dmi/id/sys_vendor",
		"/sys/class/dmi/id/product_name",
		"/proc/device-tree/model",
		"/proc/sys/kernel/perf_event_paranoid",
		"/proc/sys/kernel/perf_user_access",
		"/proc/sys/kernel/nmi_watchdog",
		"/sys/bus/event_source/devices/cpu/rdpmc",
		"/sys/bus/event_source/devices/cpu_core/rdpmc",
		"/sys/bus/event_source/devices/cpu_atom/rdpmc",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource",
	};
	char none[CACHE_FINGERPRINT_SIZE], first[CACHE_FINGERPRINT_SIZE],
		other[CACHE_FINGERPRINT_SIZE];

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
		char root[] = "fingerprint-XXXXXX";

		assert_non_null(mkdtemp(root));
		fingerprint_take(root, none);
		write_file(root, files[i], "1\n");
		fingerprint_take(root, first);
		write_file(root, files[i], "2\n");
		fingerprint_take(root, other);
		remove_file(root, files[i]);
		if (!strcmp(none, first) || !strcmp(first, other))
			fail_msg("%s does not decide: %s %s %s", files[i], none, first, other);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(volatile_lines_go),
		cmocka_unit_test(text_without_newline),
		cmocka_unit_test(facts_decide),
		cmocka_unit_test(each_file_decides),
	};

	return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
