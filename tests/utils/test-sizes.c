/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Sizes on the command line. */

#include "config.h"

#include "unit.h"
#include "measure/sizes.h"

#include <errno.h>

/* The sizes as a text, or the error. */
static void expect(const char *text, const char *expected)
{
	struct sizes sizes;
	char got[2048] = "";
	const int error = sizes_parse(text, &sizes);
	int n = 0;

	for (size_t i = 0; !error && i < sizes.n; i++)
		n += snprintf(got + n, sizeof got - (size_t)n, "%s%zu", i > 0 ? " " : "",
			      sizes.list[i]);
	if (error)
		snprintf(got, sizeof got, "%s",
			 error == -EINVAL ? "wrong" :
			 error == -ERANGE ? "too large" :
			 error == -E2BIG  ? "too many" :
					    "unknown error");
	if (strcmp(got, expected))
		print_error("# sizes %s\n", text);
	assert_string_equal(got, expected);
}

/* A text with the largest size, and one that is larger by `more`. */
static void largest(char text[64], unsigned more)
{
	snprintf(text, 64, "%zu", SIZE_MAX);
	text[strlen(text) - 1] += (char)more;
}

TEST(lists)
{
	expect("16", "16");
	expect("0", "0");
	expect("16,64,256", "16 64 256");
	expect("64,16,64", "64 16 64");
	expect("1K,3M,1G,007", "1024 3145728 1073741824 7");
	expect("0K", "0");
}

TEST(ranges)
{
	expect("16..64K*4", "16 64 256 1024 4096 16384 65536");
	expect("16..64+16", "16 32 48 64");
	expect("16..65*4", "16 64");
	expect("16..63*4", "16");
	expect("0..3+1", "0 1 2 3");
	expect("5..5*2", "5");
	expect("5..5+1", "5");
	expect("5..6+9", "5");
	expect("5..9*9", "5");
	expect("1,2..8*2,1K..2K+1K,3", "1 2 4 8 1024 2048 3");
	expect("1..1M*1K", "1 1024 1048576");
}

TEST(mistakes)
{
	static const char *const wrong[] = {
		"",         ",",      "16,",       ",16",      "16,,64",  "x",       "K",
		"16k",      "16KK",   "16 ",       " 16",      "+16",     "-1",      "1.5",
		"16..",     "16..64", "..64",      "..",       "16..64*", "16..64+", "16..64-",
		"16..64/2", "16..*2", "16...64*2", "1..4*0",   "1..4*1",  "1..4+0",  "0..4*2",
		"4..1*2",   "4..1+1", "1..4*2x",   "1..4*2*2", "0x10",    "1e3",
	};

	for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
		expect(wrong[i], "wrong");
}

TEST(bounds)
{
	char text[64], range[256], expected[64];

	largest(text, 0);
	expect(text, text);
	snprintf(range, sizeof range, "%s..%s+%s", text, text, text);
	expect(range, text);
	snprintf(range, sizeof range, "%zu..%s*2", SIZE_MAX / 2 + 1, text);
	snprintf(expected, sizeof expected, "%zu", SIZE_MAX / 2 + 1);
	expect(range, expected);
	largest(text, 1);
	expect(text, "too large");
	expect("99999999999999999999999999", "too large");
	snprintf(text, sizeof text, "%zuG", SIZE_MAX >> 30);
	snprintf(expected, sizeof expected, "%zu", SIZE_MAX >> 30 << 30);
	expect(text, expected);
	snprintf(text, sizeof text, "%zuG", (SIZE_MAX >> 30) + 1);
	expect(text, "too large");
}

TEST(too_many)
{
	struct sizes sizes;
	char text[64];

	snprintf(text, sizeof text, "1..%d+1", SIZES_MOST);
	assert_int_equal(sizes_parse(text, &sizes), 0);
	assert_int_equal(sizes.n, SIZES_MOST);
	snprintf(text, sizeof text, "0..%d+1", SIZES_MOST);
	expect(text, "too many");
	snprintf(text, sizeof text, "1..%d+1,7", SIZES_MOST);
	expect(text, "too many");
	snprintf(text, sizeof text, "0..%zu+1", SIZE_MAX);
	expect(text, "too many");
}

TEST(numbers)
{
	size_t number;

	assert_int_equal(sizes_number("12K", &number), 0);
	assert_int_equal(number, 12288);
	assert_int_equal(sizes_number("0", &number), 0);
	assert_int_equal(number, 0);
	assert_int_equal(sizes_number("12K,", &number), -EINVAL);
	assert_int_equal(sizes_number("", &number), -EINVAL);
	assert_int_equal(sizes_number("99999999999999999999999999", &number), -ERANGE);
}

/* A text of random characters is wrong, or all its sizes can be written out as a list. */
TEST(any_text)
{
	static const char characters[] = "0123456789KMG,..*+";
	unsigned valid = 0;

	for (int run = 0; run < 200000; run++) {
		const size_t length = (size_t)(unit_random() % 12);
		char text[16], list[4096];
		struct sizes sizes, again;
		int n = 0;

		for (size_t i = 0; i < length; i++)
			text[i] = characters[unit_random() % (sizeof characters - 1)];
		text[length] = 0;
		if (sizes_parse(text, &sizes))
			continue;
		valid++;
		assert_in_range(sizes.n, 1, SIZES_MOST);
		for (size_t i = 0; i < sizes.n; i++)
			n += snprintf(list + n, sizeof list - (size_t)n, "%s%zu", i ? "," : "",
				      sizes.list[i]);
		assert_int_equal(sizes_parse(list, &again), 0);
		assert_int_equal(again.n, sizes.n);
		assert_memory_equal(again.list, sizes.list, sizes.n * sizeof sizes.list[0]);
	}
	assert_true(valid > 1000);
}

UNIT_MAIN_SEEDED("measure-sizes", NULL, NULL)
