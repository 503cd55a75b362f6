/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * TEST(name) { ... } defines a test of cmocka, and unit_run runs all tests of the program:
 *
 *	TEST(adds)
 *	{
 *		assert_int_equal(1 + 1, 2);
 *	}
 *
 *	UNIT_MAIN("arithmetic", NULL, NULL)
 *
 * A constructor registers each test, so no list can miss one. Constructors are an extension of gcc
 * and clang, the compilers of this project. The compiler chooses their order, so the tests are
 * sorted by their lines: they run in the order of the file.
 */

#ifndef CPUCYCLES_TEST_H
#define CPUCYCLES_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define UNIT_UNUSED __attribute__((unused))

#define UNIT_TESTS_MAX 100

static struct CMUnitTest unit_tests[UNIT_TESTS_MAX];
static int unit_lines[UNIT_TESTS_MAX];
static size_t unit_count;

UNIT_UNUSED static void unit_register(int line, struct CMUnitTest test)
{
	size_t at = unit_count++;

	if (at == UNIT_TESTS_MAX)
		abort();
	for (; at > 0 && unit_lines[at - 1] > line; at--) {
		unit_lines[at] = unit_lines[at - 1];
		unit_tests[at] = unit_tests[at - 1];
	}
	unit_lines[at] = line;
	unit_tests[at] = test;
}

/* A test between a setup and a teardown. Either may be NULL. */
#define TEST_WITH(name, setup, teardown) \
	static void name(void **state); \
	__attribute__((constructor)) static void name##_register(void) \
	{ \
		unit_register(__LINE__, \
			      (struct CMUnitTest){ #name, name, setup, teardown, NULL }); \
	} \
	static void name(UNIT_UNUSED void **state)

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* Run all tests of the program, between a setup and a teardown of the whole group. Returns the
 * program's exit status. */
UNIT_UNUSED static int unit_run(const char *name, CMFixtureFunction setup,
				CMFixtureFunction teardown)
{
	return _cmocka_run_group_tests(name, unit_tests, unit_count, setup, teardown);
}

/* The main function of a program that does nothing else. */
#define UNIT_MAIN(name, setup, teardown) \
	int main(void) \
	{ \
		return unit_run(name, setup, teardown); \
	}

#endif
