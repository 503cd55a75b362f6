/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "unit.h"
#include "letters.h"

TEST(what_a_letter_is)
{
	static const struct {
		const char *text;
		size_t bytes;
	} cases[] = {
		{ "", 0 },
		{ "a", 1 },
		{ "\x7f", 1 },
		{ "\xc3\xa4", 2 },
		{ "\xe2\x82\xac", 3 },
		{ "\xf0\x9f\x95\x90", 4 },
		{ "\xf4\x8f\xbf\xbf", 4 },
		{ "\xa4", 0 },             /* the second byte of one */
		{ "\xc3", 0 },             /* the text ends within */
		{ "\xe2\x82", 0 },         /* the same */
		{ "\xc3/", 0 },            /* ISO 8859-1 */
		{ "\xc1\xa1", 0 },         /* a longer form of an ASCII letter */
		{ "\xe0\x9f\xbf", 0 },     /* and of one of two bytes */
		{ "\xf0\x8f\xbf\xbf", 0 }, /* and of three */
		{ "\xed\xa0\x80", 0 },     /* a surrogate */
		{ "\xf4\x90\x80\x80", 0 }, /* above U+10FFFF */
		{ "\xff", 0 },
	};

	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		assert_int_equal(letter_bytes(cases[i].text), cases[i].bytes);
}

#define MIXED "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x95\x90z" /* of 1, 2, 3, 4 and 1 bytes */

static const int whole[] = { 0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 11, 11 };

#define SIZES (sizeof whole / sizeof whole[0])

TEST(a_part_ends_with_a_whole_letter)
{
	for (size_t size = 0; size < SIZES; size++)
		assert_int_equal(letters_within(MIXED, size), whole[size]);
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
print(char text[], size_t size, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	letters_print(text, size, format, list);
	va_end(list);
}

TEST(so_does_a_sentence)
{
	for (size_t size = 0; size < SIZES; size++) {
		char text[SIZES];

		print(text, size + 1, "%s", MIXED);
		assert_int_equal(strlen(text), whole[size]);
		assert_memory_equal(text, MIXED, strlen(text));
	}
}

TEST(what_is_cut_shows_that)
{
	char room[10];

	assert_string_equal(letters_cut(room, sizeof room, "123456789"), "123456789");
	assert_string_equal(letters_cut(room, sizeof room, "1234567890"), "123456...");
	assert_string_equal(letters_cut(room, sizeof room,
					"12345\xc3\xa4"
					"789"),
			    "12345...");
	assert_string_equal(letters_cut(room, 4, "1234"), "...");
	assert_string_equal(letters_cut(room, 4, ""), "");
}

/* Another encoding keeps its bytes, except the last one of a sentence, which may begin a letter. */
TEST(other_encodings)
{
	static const char latin[] = "\xe4/\xe4\xf6\xfc";
	char text[16];

	for (size_t size = 0; size < sizeof latin; size++)
		assert_int_equal(letters_within(latin, size), size);
	assert_int_equal(letters_within("\x80\x80\x80\x80\x80\x80", 5), 5);
	print(text, sizeof text, "%s", latin);
	assert_string_equal(text, latin);
	print(text, 3, "%s", latin);
	assert_string_equal(text, "\xe4/");
}

TEST(bytes_that_are_no_letters)
{
	char text[] = "\xe4/" MIXED "\xc3";

	letters_mend(text);
	assert_string_equal(text, "?/" MIXED "?");
}

UNIT_MAIN("letters", NULL, NULL)
