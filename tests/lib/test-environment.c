/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A hostile environment needs a set-id program, so secure.sh tests it. */

#include "config.h"

#include "unit.h"
#include "environment.h"
#include "environments.h"
#include "guard.h"

static const char *const names[ENVIRONMENT_VARIABLES] = {
	[ENVIRONMENT_CACHE] = "CPUCYCLES_CACHE",
	[ENVIRONMENT_COUNTER] = "CPUCYCLES_COUNTER",
	[ENVIRONMENT_PERSECOND] = "cpucyclespersecond",
};

static char **all; /* before the test */

static int keep(UNIT_UNUSED void **state)
{
	all = environ;
	return 0;
}

static int put_back(UNIT_UNUSED void **state)
{
	environ = all;
	return 0;
}

/* What is read of these entries. */
static const char *read_of(char *entries[], enum environment_variable variable)
{
	environ = entries;
	environment_read();
	return environment_get(variable);
}

TEST_WITH(values, keep, put_back)
{
	assert_false(environment_is_hostile());
	for (enum environment_variable i = 0; i < ENVIRONMENT_VARIABLES; i++) {
		unsetenv(names[i]);
		environment_read();
		assert_null(environment_get(i));
		setenv(names[i], "", 1);
		environment_read();
		assert_null(environment_get(i));
		setenv(names[i], "none", 1);
		assert_null(environment_get(i));
		environment_read();
		assert_string_equal(environment_get(i), "none");
		setenv(names[i], "other", 1);
		assert_string_equal(environment_get(i), "none");
	}
	environment_read();
	for (enum environment_variable i = 0; i < ENVIRONMENT_VARIABLES; i++) {
		assert_string_equal(environment_get(i), "other");
		unsetenv(names[i]);
	}
}

TEST_WITH(similar_names, keep, put_back)
{
	static char shorter[] = "CPUCYCLES_CACH=a", longer[] = "CPUCYCLES_CACHES=a";
	static char lower[] = "cpucycles_cache=a", upper[] = "CPUCYCLESPERSECOND=1000000";
	static char bare[] = "CPUCYCLES_CACHE", nothing[] = "", equals[] = "=a", one[] = "c";
	static char *entries[] = {
		shorter, longer, lower, upper, bare, nothing, equals, one, NULL
	};

	for (enum environment_variable i = 0; i < ENVIRONMENT_VARIABLES; i++)
		assert_null(read_of(entries, i));
	assert_null(read_of(NULL, ENVIRONMENT_CACHE));
	assert_null(read_of(entries + 8, ENVIRONMENT_CACHE));
}

TEST_WITH(first_of_several, keep, put_back)
{
	static char a[] = "CPUCYCLES_CACHE=a", b[] = "CPUCYCLES_CACHE=b";
	static char empty[] = "CPUCYCLES_CACHE=";
	static char *a_and_b[] = { a, b, NULL }, *empty_and_b[] = { empty, b, NULL };

	assert_string_equal(read_of(a_and_b, ENVIRONMENT_CACHE), "a");
	assert_string_equal(getenv("CPUCYCLES_CACHE"), "a");
	assert_null(read_of(empty_and_b, ENVIRONMENT_CACHE));
}

/* A value of this length, behind another one that must not stay. */
static const char *read_long(size_t length)
{
	static char text[2 * ENVIRONMENT_VALUE_SIZE], before[] = "CPUCYCLES_CACHE=before";
	static char *short_one[] = { before, NULL }, *long_one[] = { text, NULL };
	const int n = sprintf(text, "CPUCYCLES_CACHE=");

	assert_string_equal(read_of(short_one, ENVIRONMENT_CACHE), "before");
	memset(text + n, 'x', length);
	text[(size_t)n + length] = 0;
	return read_of(long_one, ENVIRONMENT_CACHE);
}

TEST_WITH(long_values, keep, put_back)
{
	assert_int_equal(strlen(read_long(ENVIRONMENT_VALUE_SIZE - 1)), ENVIRONMENT_VALUE_SIZE - 1);
	assert_null(read_long(ENVIRONMENT_VALUE_SIZE));
	assert_null(read_long(ENVIRONMENT_VALUE_SIZE + 1));
}

TEST_WITH(many_variables, keep, put_back)
{
	static char *entries[ENVIRONMENT_ENTRIES_MAX + 2], other[] = "A=a";

	for (size_t i = 0; i <= ENVIRONMENT_ENTRIES_MAX; i++)
		entries[i] = other;
	entries[ENVIRONMENT_ENTRIES_MAX] = environments_cache;
	assert_null(read_of(entries, ENVIRONMENT_CACHE));
	entries[ENVIRONMENT_ENTRIES_MAX - 1] = environments_cache;
	assert_string_equal(read_of(entries, ENVIRONMENT_CACHE), "none");
}

/* Environments that fault */

static size_t faulting;

static void faults_child(void)
{
	struct guard guard;

	printf("# %s\n", environments[faulting].name);
	environments[faulting].set();
	unit_expect(guard_acquire(&guard) == LOCK_TAKEN && guard_install(&guard, GUARD_ALL),
		    "the guard");
	environment_read();
	for (enum environment_variable i = 0; i < ENVIRONMENT_VARIABLES; i++)
		unit_expect(!environment_get(i), "no variable is set");
	environments_set(environments_cache);
	environment_read();
	for (enum environment_variable i = 0; i < ENVIRONMENT_VARIABLES; i++)
		unit_expect(environment_get(i), "a later look finds them");
	guard_release(&guard);
}

TEST_WITH(faults, keep, put_back)
{
	for (faulting = 0; faulting < ENVIRONMENTS; faulting++)
		unit_child_passes(faults_child);
}

UNIT_MAIN("environment", NULL, NULL)
