/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A hostile environment needs a set-id program, so secure.sh tests it. */

#include "config.h"

#include "unit.h"
#include "environment.h"

static void values(void **state)
{
	(void)state;
	assert_false(environment_is_hostile());
	unsetenv("CPUCYCLES_CACHE");
	assert_null(environment_get("CPUCYCLES_CACHE"));
	setenv("CPUCYCLES_CACHE", "", 1);
	assert_null(environment_get("CPUCYCLES_CACHE"));
	setenv("CPUCYCLES_CACHE", "none", 1);
	assert_string_equal(environment_get("CPUCYCLES_CACHE"), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),
	};

	return cmocka_run_group_tests_name("environment", tests, NULL, NULL);
}
