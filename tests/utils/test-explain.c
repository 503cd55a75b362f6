/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "explain.h"

#include <errno.h>

static void expect_reason(enum reason reason, int detail, const char *expected)
{
	const struct candidate c = { .counter = counters_list[0],
				     .reason = reason,
				     .detail = detail };
	char text[EXPLAIN_TEXT];

	explain_reason(&c, text);
	assert_non_null(strstr(text, expected));
}

static void test_reasons_in_words(void **state)
{
	(void)state;
	expect_reason(REASON_ERRNO, EACCES, strerror(EACCES));
	expect_reason(REASON_SIGNAL, SIGILL, strsignal(SIGILL));
	expect_reason(REASON_CLOSED, 0, "kernel");
	expect_reason(REASON_SCALING, 0, "divide");
	expect_reason(REASON_DECREASED, 0, "backwards");
	expect_reason(REASON_STILL, 0, "not move");
	expect_reason(REASON_PRUNED, 0, "not tried");
	expect_reason(REASON_LAST_RESORT, 0, "nothing");
}

/* cpucycles-open is named for counters of cycles that the kernel refused, and for no others. */
static void test_how_to_open(void **state)
{
	const struct counter clock = { .name = "clock", .class = COUNTER_OS_CLOCK };
	const struct counter core = { .name = "core", .class = COUNTER_ON_CORE };
	const struct counter count = { .name = "count", .class = COUNTER_KERNEL_COUNT };
	const struct {
		struct candidate candidate;
		bool expected;
	} cases[] = {
		{ { .counter = &core, .reason = REASON_ERRNO, .detail = EACCES }, true },
		{ { .counter = &core, .reason = REASON_ERRNO, .detail = EPERM }, true },
		{ { .counter = &core, .reason = REASON_CLOSED }, true },
		{ { .counter = &count, .reason = REASON_ERRNO, .detail = EACCES }, true },
		{ { .counter = &core, .reason = REASON_ERRNO, .detail = ENOENT }, false },
		{ { .counter = &core, .reason = REASON_SIGNAL, .detail = EACCES }, false },
		{ { .counter = &core, .reason = REASON_NONE }, false },
		{ { .counter = &clock, .reason = REASON_ERRNO, .detail = EACCES }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char text[EXPLAIN_TEXT];

		explain_reason(&cases[i].candidate, text);
		assert_int_equal(strstr(text, "cpucycles-open") != NULL, cases[i].expected);
	}
}

static void expect_path(const char *path, const char *expected)
{
	char text[EXPLAIN_TEXT];

	explain_path(path, text);
	assert_string_equal(text, expected);
}

static void test_paths(void **state)
{
	(void)state;
	expect_path("/var/cache/a-b_c.d", "/var/cache/a-b_c.d");
	expect_path("a b", "'a b'");
	expect_path("it's", "'it'\\''s'");
	expect_path("$(rm)", "'$(rm)'");
	expect_path("a\033[2Jb\n", "'a?[2Jb?'");
	expect_path("", "''");
}

static void test_long_path(void **state)
{
	char path[2 * EXPLAIN_TEXT], text[EXPLAIN_TEXT];

	(void)state;
	memset(path, '\'', sizeof path - 1);
	path[sizeof path - 1] = 0;
	explain_path(path, text);
	assert_true(strlen(text) < EXPLAIN_TEXT);
	assert_int_equal(text[strlen(text) - 1], '\'');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons_in_words),
		cmocka_unit_test(test_how_to_open),
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_long_path),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
