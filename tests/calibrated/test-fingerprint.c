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
	char text[] = "processor\t: 0\nmodel name\t: X\ncpu MHz\t\t: 2596.140\nmicrocode\t: 0x1\n"
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

/* A made root folder with one file. */
static void write_file(const char *root, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof path, "%s/proc", root);
	assert_true(mkdir(path, 0700) == 0 || errno == EEXIST);
	snprintf(path, sizeof path, "%s/proc/%s", root, name);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void remove_root(const char *root)
{
	char path[256];

	snprintf(path, sizeof path, "%s/proc/cpuinfo", root);
	unlink(path);
	snprintf(path, sizeof path, "%s/proc", root);
	rmdir(path);
	rmdir(root);
}

static void facts_decide(void **state)
{
	char root[] = "fingerprint-XXXXXX";
	char first[CACHE_FINGERPRINT_SIZE], same[CACHE_FINGERPRINT_SIZE], other[CACHE_FINGERPRINT_SIZE];

	(void)state;
	assert_non_null(mkdtemp(root));
	write_file(root, "cpuinfo", "model name\t: X\ncpu MHz\t: 1000.0\n");
	fingerprint_take(root, first);
	write_file(root, "cpuinfo", "model name\t: X\ncpu MHz\t: 1000.1\n");
	fingerprint_take(root, same);
	write_file(root, "cpuinfo", "model name\t: Y\ncpu MHz\t: 1000.1\n");
	fingerprint_take(root, other);
	remove_root(root);
	assert_int_equal(strlen(first), CACHE_FINGERPRINT_SIZE - 1);
	assert_string_equal(first, same);
	assert_string_not_equal(first, other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(volatile_lines_go),
		cmocka_unit_test(text_without_newline),
		cmocka_unit_test(facts_decide),
	};

	return cmocka_run_group_tests_name("fingerprint", tests, NULL, NULL);
}
