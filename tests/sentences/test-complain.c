/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "complain.h"
#include "counters.h"

#include <errno.h>

#define PATH "/etc/cpucyclespersecond"
#define NUMBER " not a number of cycles per second from 1000 to 100000000000, such as 3500000000"

static void expect_number(const char *text, const char *expected)
{
	struct persecond_file file;
	char sentence[COMPLAIN_SIZE];

	persecond_parse(text, strlen(text), "", &file);
	complain_of_file(PATH, &file, text, sentence);
	assert_string_equal(sentence, expected);
}

TEST(numbers)
{
	expect_number("3500000000\n", "");
	expect_number("3.5 GHz\nmore\n", PATH ":1: \"3.5 GHz\" is" NUMBER);
	expect_number("999\r\n", PATH ":1: \"999\" is" NUMBER);
	expect_number("", PATH ":1: \"\" is" NUMBER);
	expect_number("\n3500000000\n", PATH ":1: \"\" is" NUMBER);
	expect_number("\033[2J\"\xc3\xa9\x7f\t%s\n", PATH ":1: \"?[2J\"????%s\" is" NUMBER);
}

TEST(long_texts)
{
	char text[PERSECOND_TEXT_SIZE], path[4096], sentence[COMPLAIN_SIZE];
	struct persecond_file file;

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = 0;
	expect_number(text,
		      PATH ":1: \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
			   "xxx...\" is" NUMBER);
	memset(path, 'p', sizeof path - 1);
	path[sizeof path - 1] = 0;
	persecond_parse(text, strlen(text), "", &file);
	complain_of_file(path, &file, text, sentence);
	assert_non_null(strstr(sentence, "pp:1: \"xx"));
	assert_non_null(strstr(sentence, "such as 3500000000"));
}

static void expect_flaw(enum persecond_flaw flaw, int error, const char *expected)
{
	const struct persecond_file file = { .exists = true, .flaw = flaw, .error = error };
	char sentence[COMPLAIN_SIZE] = "x", all[COMPLAIN_SIZE] = "";

	complain_of_file(PATH, &file, "", sentence);
	if (*expected)
		snprintf(all, sizeof all, PATH ": %s", expected);
	assert_string_equal(sentence, all);
}

TEST(other_flaws)
{
	expect_flaw(FLAW_NONE, 0, "");
	expect_flaw(FLAW_NOT_A_TEXT, 0, "a null byte in it: no text");
	expect_flaw(FLAW_NOT_A_FILE, -EINVAL, "not a regular file");
	expect_flaw(FLAW_UNREADABLE, -EACCES, "cannot be read: Permission denied");
	expect_flaw(FLAW_UNREADABLE, 0, "cannot be read: looking at it faults");
	expect_flaw(FLAW_ELSEWHERE, 0, "on a file system that the library does not read from");
	expect_flaw(FLAW_DANGLING, 0, "a symbolic link to a file that does not exist");
}

static void expect_counter(const char *value, const char *shown)
{
	char sentence[COMPLAIN_SIZE] = "x", all[COMPLAIN_SIZE] = "", names[COMPLAIN_SIZE] = "";

	complain_of_counter(value, sentence);
	for (size_t i = 0; i < counters_count; i++)
		sprintf(names + strlen(names), "%s%s", i ? ", " : "", counters_list[i]->name);
	if (shown)
		snprintf(all, sizeof all,
			 "CPUCYCLES_COUNTER=%s: no such counter in this library, and no such class;"
			 " the classes are on-core, kernel-count, off-core and os-clock, the"
			 " counters %.600s: see cpucycles-environment(7)",
			 shown, names);
	assert_string_equal(sentence, all);
}

TEST(variables)
{
	char sentence[COMPLAIN_SIZE] = "x";

	expect_counter(NULL, NULL);
	expect_counter("", NULL);
	for (size_t i = 0; i < counters_count; i++)
		expect_counter(counters_list[i]->name, NULL);
	expect_counter("default", "default");
	expect_counter("default-zero, x", "default-zero, x");
	expect_counter("default_zero", "default_zero");
	expect_counter("os-clock", NULL);
	expect_counter("nonsense", "nonsense");
	expect_counter("last-resort", "last-resort");
	expect_counter("on-core\n", "on-core?");
	complain_of_persecond(NULL, sentence);
	assert_string_equal(sentence, "");
	complain_of_persecond("3.5e9 Hz", sentence);
	assert_string_equal(sentence, "");
	complain_of_persecond("zzz", sentence);
	assert_string_equal(sentence, "cpucyclespersecond=zzz:" NUMBER);
	complain_of_persecond("1e12", sentence);
	assert_string_equal(sentence, "cpucyclespersecond=1e12:" NUMBER);
}

UNIT_MAIN("complain", NULL, NULL)
