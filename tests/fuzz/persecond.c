/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The text of a persecond file. Its first line begins with a decimal number in the form that all
 * sources of the frequency use. The oracle computes the number from digits and exponent with an
 * arithmetic of its own, and reads the rest of the line a second time. A file that is recognised as
 * the calibrator's must be a text that the calibrator writes. */

#include "config.h"

#include "complain.h"
#include "decimal.h"
#include "fuzz.h"
#include "persecond.h"
#include "rate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The library reads this many bytes of a persecond file. */
#define PERSECOND_READ (PERSECOND_TEXT_SIZE - 1)

/* Digits behind the point may be ignored from here on. */
#define EXACT_MAX (UINT64_MAX / 100)

/* With a larger exponent, a number of that many digits is 0 or too large. */
#define EXPONENT_MAX 2000

/* The digits, and the number of digits before the point. */
struct number {
	char digits[PERSECOND_READ + 1];
	long n, point;
};

/* Read e[+-]digits, if it is there and complete. */
static const char *take_exponent(const char *p, long *point)
{
	const char *digits = p + 1 + (*p && (p[1] == '+' || p[1] == '-'));
	long exponent;

	if ((*p != 'e' && *p != 'E') || !strspn(digits, "0123456789"))
		return p;
	exponent = strtol(digits, NULL, 10);
	if (exponent > EXPONENT_MAX)
		exponent = EXPONENT_MAX;
	*point += p[1] == '-' ? -exponent : exponent;
	return digits + strspn(digits, "0123456789");
}

/* The grammar of decimal.h, read a second time. Returns the text behind the number, or NULL if
 * there is no number. */
static const char *take_apart(const char *text, struct number *number)
{
	const char *p = text + strspn(text, " \t");
	size_t whole = strspn(p, "0123456789"), part = 0;

	memcpy(number->digits, p, whole);
	p += whole;
	if (*p == '.') {
		part = strspn(p + 1, "0123456789");
		memcpy(number->digits + whole, p + 1, part);
		p += 1 + part;
	}
	number->n = (long)(whole + part);
	number->point = (long)whole;
	return number->n ? take_exponent(p, &number->point) : NULL;
}

/* The number without its fraction. False: it is too large for 64 bits. */
static bool whole_of(const struct number *number, uint64_t *value)
{
	*value = 0;
	for (long i = 0; i < number->point; i++) {
		unsigned digit = i < number->n ? (unsigned)(number->digits[i] - '0') : 0;

		if (*value > (UINT64_MAX - digit) / 10)
			return false;
		*value = *value * 10 + digit;
	}
	return true;
}

/* Whether the digits before the point are too many, for any exponent. */
static bool is_too_long(const struct number *number, const char *text)
{
	struct number whole = *number;
	uint64_t value;

	whole.n = whole.point = (long)strspn(text + strspn(text, " \t"), "0123456789");
	return !whole_of(&whole, &value);
}

static void expect_decimal(const char *text, int power)
{
	static struct number number;
	const char *behind = text, *expected_behind = take_apart(text, &number);
	uint64_t value, expected;
	bool taken = decimal_parse(&behind, power, &value), fits;

	if (!taken)
		FUZZ_EXPECT(behind == text);
	if (!expected_behind) {
		FUZZ_EXPECT(!taken);
		return;
	}
	number.point += power;
	fits = whole_of(&number, &expected);
	if (!taken) {
		FUZZ_EXPECT(!fits || expected >= EXACT_MAX || is_too_long(&number, text));
		return;
	}
	fuzz_count_valid();
	FUZZ_EXPECT(behind == expected_behind);
	if (value < EXACT_MAX || (fits && expected < EXACT_MAX))
		FUZZ_EXPECT(fits && value == expected);
}

/* The whole line, from the manual: a number, Hz, a comment. False: it has another form. *hz: the
 * number, if decimal_parse takes it. */
static bool take_line(const char *text, uint64_t *hz)
{
	static struct number number;
	const char *p = take_apart(text, &number), *parsed = text;

	if (!p || p - text > 63)
		return false;
	p += strspn(p, " \t\r");
	if (!strncmp(p, "Hz", 2))
		p += 2 + strspn(p + 2, " \t\r");
	return strchr("\n#", *p) && decimal_parse(&parsed, 0, hz);
}

static void expect_line(const char *text)
{
	uint64_t hz, expected;
	bool taken = take_line(text, &expected);

	FUZZ_EXPECT(decimal_hertz(text, &hz) == taken);
	FUZZ_EXPECT(!taken || hz == expected);
}

/* The third line repeats the first one. */
static void expect_hint(const char *text, const char *third)
{
	char line[sizeof PERSECOND_HINT + PERSECOND_READ + sizeof PERSECOND_HINT_END];

	snprintf(line, sizeof line, PERSECOND_HINT "%.*s" PERSECOND_HINT_END,
		 (int)strcspn(text, "\n"), text);
	FUZZ_EXPECT(!strcmp(third, line));
}

/* A digit more in the first line of a whole file of the calibrator's makes it the sysadmin's. */
static void expect_edit(const char *text)
{
	struct persecond_file file;
	char edited[PERSECOND_READ + 2];
	const size_t length = strlen(text);

	edited[0] = '1';
	memcpy(edited + 1, text, length + 1);
	persecond_parse(edited, length + 1, "", &file);
	FUZZ_EXPECT(!file.ours && file.said.source == PERSECOND_FILE);
}

/* A file of the calibrator's has the calibrator's text. An earlier version wrote two lines, and
 * took its own file for its own whatever the first line says. */
static void expect_ours(const struct persecond_file *file, const char *text)
{
	const char *second = strchr(text, '\n') + 1, *third = strchr(second, '\n') + 1;
	struct persecond_file again;
	char written[256];
	size_t length, second_length = (size_t)(third - second);

	FUZZ_EXPECT(machine_is_boot(file->boot) && frequency_is_machines(file->said.source));
	FUZZ_EXPECT(!persecond_answer(file, ""));
	FUZZ_EXPECT(!persecond_answer(file, file->boot) == (file->said.hz == 0));
	length = persecond_format(&file->said, file->boot, written, sizeof written);
	FUZZ_EXPECT(length > 0 && length == strlen(written));
	FUZZ_EXPECT(!strncmp(strchr(written, '\n') + 1, second, second_length));
	if (*third) {
		expect_hint(text, third);
		expect_edit(text);
	}
	persecond_parse(written, length, "", &again);
	FUZZ_EXPECT(again.said.hz == file->said.hz && again.ours);
	FUZZ_EXPECT(again.said.source == file->said.source && !strcmp(again.boot, file->boot));
	persecond_parse(text, strlen(text), file->boot, &again);
	FUZZ_EXPECT(again.said.hz == file->said.hz && again.ours);
	FUZZ_EXPECT(again.said.source == file->said.source && !strcmp(again.boot, file->boot));
	fuzz_count_valid();
}

/* The sentence on what is wrong is there if something is, and fit for a terminal. */
static void expect_complaint(const struct persecond_file *file, const char *text)
{
	char sentence[COMPLAIN_SIZE];

	complain_of_file("/etc/cpucyclespersecond", file, text, sentence);
	FUZZ_EXPECT((file->said.hz == 0) == (sentence[0] != 0));
	for (const char *p = sentence; *p; p++)
		FUZZ_EXPECT(*p >= ' ' && *p <= '~');
}

static void expect_file(const char *text, size_t length)
{
	struct persecond_file file;

	memset(&file, 0xa5, sizeof file);
	persecond_parse(text, length, "", &file);
	FUZZ_EXPECT(file.exists && (file.said.hz == 0 || rate_is_sane(file.said.hz)));
	FUZZ_EXPECT((file.said.hz == 0) == (file.flaw != FLAW_NONE));
	expect_complaint(&file, text);
	if (strlen(text) != length) {
		FUZZ_EXPECT(file.said.hz == 0 && !file.ours && file.flaw == FLAW_NOT_A_TEXT);
	} else if (file.ours) {
		expect_ours(&file, text);
	} else {
		FUZZ_EXPECT(file.said.source == PERSECOND_FILE);
		FUZZ_EXPECT(!persecond_answer(&file, "") == (file.said.hz == 0));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > PERSECOND_READ)
		size = PERSECOND_READ;
	text = fuzz_copy((const char *)data, size, true);
	expect_file(text, size);
	expect_line(text);
	for (int power = 0; power <= 6; power += 3)
		expect_decimal(text, power);
	free(text);
	return 0;
}
