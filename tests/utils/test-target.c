/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What cpucycles-measure is told to measure. */

#include "config.h"

#include "made-outcome.h"

TEST_WITH(test_target, begin, end)
{
	struct target target[1];

	assert_string_equal(targets[1].library, "./f.so");
	assert_string_equal(targets[1].function, "b");
	assert_string_equal(targets[1].setup, "b_setup");
	assert_string_equal(targets[1].before, "b_before");
	assert_string_equal(targets[1].label, "./f.so:b");
	assert_string_equal(targets[2].label, "./f.so:a (2)");
	assert_int_equal(target_parse("a:b:c", target, 0), 0);
	assert_string_equal(target[0].library, "a:b");
	assert_string_equal(target[0].function, "c");
	target_free(target, 1);
	for (const char *const *bad = (const char *const[]){ "", ":", "a", "a:", ":a", NULL }; *bad;
	     bad++)
		assert_int_equal(target_parse(*bad, target, 0), -EINVAL);
}

UNIT_MAIN("target", NULL, NULL)
