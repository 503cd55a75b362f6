/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "decimal.h"

static const struct {
	const char *text;
	int power;
	bool good;
	uint64_t value;
} rows[] = {
	{ "0", 0, true, 0 },
	{ "00", 3, true, 0 },
	{ "2399987654", 0, true, 2399987654 },
	{ "007", 0, true, 7 },
	{ "2400000", 3, true, 2400000000 },
	{ "2399.987", 6, true, 2399987000 },
	{ "2399.9876543", 6, true, 2399987654 },
	{ "1.9", 0, true, 1 },
	{ "0.9", 0, true, 0 },
	{ ".5", 1, true, 5 },
	{ "5.", 0, true, 5 },
	{ "1.99999999999999999999999999999999999999999", 0, true, 1 },
	{ "0.00000000000000000000000000000000000000001", 6, true, 0 },
	{ "3e9", 0, true, 3000000000 },
	{ "3E+9", 0, true, 3000000000 },
	{ "2.4e9", 0, true, 2400000000 },
	{ "2500e-2", 0, true, 25 },
	{ "1e-400", 0, true, 0 },
	{ "18446744073709551615e-100", 0, true, 0 },
	{ "0e400", 0, true, 0 },
	{ "\t 42 \t\r\n", 0, true, 42 },
	{ "42\n\n", 0, true, 42 },
	{ "18446744073709551615", 0, true, UINT64_MAX },
	{ "18446744073709551616", 0, false, 0 },
	{ "18446744073709551615", 1, false, 0 },
	{ "99999999999999999999999", 0, false, 0 },
	{ "1e20", 0, false, 0 },
	{ "1e100", 0, false, 0 },
	{ "1e110", 0, false, 0 },
	{ "1e400", 0, false, 0 },
	{ "1e999999999999999999999999", 0, false, 0 },
	{ "", 0, false, 0 },
	{ " ", 0, false, 0 },
	{ "\n5", 0, false, 0 },
	{ ".", 0, false, 0 },
	{ "..5", 0, false, 0 },
	{ "1..2", 0, false, 0 },
	{ "1.2.3", 0, false, 0 },
	{ "e5", 0, false, 0 },
	{ "1e", 0, false, 0 },
	{ "1e+", 0, false, 0 },
	{ "1e5.5", 0, false, 0 },
	{ "-1", 0, false, 0 },
	{ "+1", 0, false, 0 },
	{ "1,000", 0, false, 0 },
	{ "1 000", 0, false, 0 },
	{ "0x10", 0, false, 0 },
	{ "nan", 0, false, 0 },
	{ "NaN", 0, false, 0 },
	{ "inf", 0, false, 0 },
	{ "infinity", 0, false, 0 },
	{ "garbage", 0, false, 0 },
	{ "5 garbage", 0, false, 0 },
	{ "5Hz", 0, false, 0 },
	{ "<unsupported>", 3, false, 0 },
	{ "\xd9\xa3", 0, false, 0 },
};

TEST(whole)
{
	for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
		uint64_t value = 0;
		bool good = decimal_whole(rows[i].text, rows[i].power, &value);

		if (good != rows[i].good || (good && value != rows[i].value))
			fail_msg("\"%s\" power %d: got %s %llu, expected %s %llu", rows[i].text,
				 rows[i].power, good ? "good" : "bad", (unsigned long long)value,
				 rows[i].good ? "good" : "bad", (unsigned long long)rows[i].value);
	}
}

static void expect_left(const char *text, bool good, const char *left)
{
	const char *p = text;
	uint64_t value;

	assert_int_equal(decimal_parse(&p, 0, &value), good);
	assert_string_equal(p, left);
}

TEST(where_it_stops)
{
	expect_left("12MHz", true, "MHz");
	expect_left("12e", true, "e");
	expect_left("12 13", true, " 13");
	expect_left("1.2.3", true, ".3");
	expect_left(" x", false, " x");
	expect_left(" 99999999999999999999", false, " 99999999999999999999");
	expect_left("1e400", false, "1e400");
}

/* 63 characters. */
#define LONG "2400000000.0000000000000000000000000000000000000000000000000000"

TEST(frequencies)
{
	static const char *const good[] = {
		"2400000000",
		"2400000000\n",
		"2400000000\r\n",
		"  2.4e9\t",
		"2400000000 Hz",
		"2400000000Hz\n",
		"2.4e9 Hz # x",
		"2400000000#",
		"2400000000 # set by ops\n",
		"2.4e9\tHz\t\r\n",
		"2400000000\n3.5 GHz",
		"2400000000 Hz#Hz",
		LONG,
		(LONG " Hz"),
	};
	static const char *const bad[] = {
		"",
		"\n",
		" ",
		"#",
		"# 2400000000",
		"Hz",
		"\n2400000000",
		"2400 MHz",
		"2.4 GHz",
		"2400000000 2",
		"2400000000 hz",
		"2400000000 H",
		"2400000000 Hzz",
		"2400000000 Hz Hz",
		"2400000000 Hz 2",
		"2400000000/s",
		"2,4e9",
		"2400000000 ; set by ops",
		"+2400000000",
		(LONG "0"),
		("  " LONG),
	};
	uint64_t hz;

	for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
		if (!decimal_hertz(good[i], &hz) || hz != 2400000000)
			fail_msg("\"%s\": no answer, or %llu", good[i], (unsigned long long)hz);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		if (decimal_hertz(bad[i], &hz))
			fail_msg("\"%s\": %llu", bad[i], (unsigned long long)hz);
}

TEST(round_trip)
{
	for (int i = 0; i < 100000; i++) {
		uint64_t number = unit_random_bits(64), value;
		char text[64];

		snprintf(text, sizeof text, "%llu", (unsigned long long)number);
		assert_true(decimal_whole(text, 0, &value));
		assert_int_equal(value, number);
		snprintf(text, sizeof text, "%llu.%03u", (unsigned long long)(number >> 21),
			 (unsigned)(number % 1000));
		assert_true(decimal_whole(text, 3, &value));
		assert_int_equal(value, (number >> 21) * 1000 + number % 1000);
	}
}

UNIT_MAIN_SEEDED("decimal", NULL, NULL)
