/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The text of a persecond file. Its first line is a decimal number in the form that all sources of
 * the frequency use. The oracle computes the number from digits and exponent with an arithmetic of
 * its own. A file that is recognised as the calibrator's must be a text that the calibrator
 * writes. */

#include "config.h"

#include "decimal.h"
#include "frequency.h"
#include "fuzz.h"
#include "rate.h"

#include <stdlib.h>
#include <string.h>

/* The library reads this many bytes of a persecond file. */
#define PERSECOND_READ 511

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

/* A file of the calibrator's has the calibrator's text, except for the form of the number. */
static void expect_ours(const struct persecond_file *file, const char *text)
{
	const struct persecond persecond = { file->hz, file->source };
	struct persecond_file again;
	char written[256];
	size_t length;

	FUZZ_EXPECT(machine_is_boot(file->boot) && frequency_is_machines(file->source));
	FUZZ_EXPECT(!frequency_file_answers(file, ""));
	FUZZ_EXPECT(frequency_file_answers(file, file->boot) == (file->hz != 0));
	length = frequency_format_file(&persecond, file->boot, written, sizeof written);
	FUZZ_EXPECT(length > 0 && length == strlen(written));
	FUZZ_EXPECT(!strcmp(strchr(written, '\n'), strchr(text, '\n')));
	frequency_parse_file(written, length, "", &again);
	FUZZ_EXPECT(again.hz == file->hz && again.ours && again.source == file->source);
	FUZZ_EXPECT(!strcmp(again.boot, file->boot));
	frequency_parse_file(text, strlen(text), file->boot, &again);
	FUZZ_EXPECT(again.hz == file->hz && again.ours && again.source == file->source);
	FUZZ_EXPECT(!strcmp(again.boot, file->boot));
	fuzz_count_valid();
}

static void expect_file(const char *text, size_t length)
{
	struct persecond_file file;

	memset(&file, 0xa5, sizeof file);
	frequency_parse_file(text, length, "", &file);
	FUZZ_EXPECT(file.exists && (file.hz == 0 || rate_is_sane(file.hz)));
	if (strlen(text) != length) {
		FUZZ_EXPECT(file.hz == 0 && !file.ours);
	} else if (file.ours) {
		expect_ours(&file, text);
	} else {
		FUZZ_EXPECT(file.source == PERSECOND_FILE);
		FUZZ_EXPECT(frequency_file_answers(&file, "") == (file.hz != 0));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size > PERSECOND_READ)
		size = PERSECOND_READ;
	text = fuzz_copy((const char *)data, size, true);
	expect_file(text, size);
	for (int power = 0; power <= 6; power += 3)
		expect_decimal(text, power);
	free(text);
	return 0;
}
