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
	assert_int_equal(target_add_flags(target, " -O2 -g"), 0);
	assert_string_equal(target[0].label, "a:b:c (-O2 -g)");
	target_free(target, 1);
	assert_int_equal(target_parse("a::b/x.cc:ns::f<1>(int)", target, 0), 0);
	assert_string_equal(target[0].library, "a::b/x.cc");
	assert_string_equal(target[0].function, "ns::f<1>(int)");
	assert_string_equal(target[0].setup, "f_setup");
	assert_string_equal(target_symbol(target), "ns::f<1>(int)");
	target_free(target, 1);
	for (const char *const *bad =
		     (const char *const[]){ "", ":", "a", "a:", ":a", "ns::f", NULL };
	     *bad; bad++)
		assert_int_equal(target_parse(*bad, target, 0), -EINVAL);
}

/* A file that all have is left out of the names for people. */
TEST(test_shown)
{
	struct target same[3], others[2];

	assert_int_equal(target_parse("a:b/f.c:f", same, 0), 0);
	assert_int_equal(target_parse("a:b/f.c:g", same, 1), 0);
	assert_int_equal(target_parse("a:b/f.c:f", same, 2), 0);
	assert_string_equal(same[2].shown, "a:b/f.c:f (2)");
	target_shorten(same, 3);
	assert_string_equal(same[0].shown, "f");
	assert_string_equal(same[1].shown, "g");
	assert_string_equal(same[2].shown, "f (2)");
	assert_string_equal(same[2].label, "a:b/f.c:f (2)");
	target_free(same, 3);
	assert_int_equal(target_parse("old.c:f", others, 0), 0);
	assert_int_equal(target_parse("new.c:f", others, 1), 0);
	target_shorten(others, 2);
	assert_string_equal(others[0].shown, "old.c:f");
	assert_string_equal(others[1].shown, "new.c:f");
	target_free(others, 2);
}

UNIT_MAIN("target", NULL, NULL)
