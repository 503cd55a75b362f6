/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Letters of UTF-8, of which a text that is cut keeps whole ones only. Pure. A text that is not
 * UTF-8, which a path may be, keeps all of its bytes up to the cut. */

#ifndef CPUCYCLES_LETTERS_H
#define CPUCYCLES_LETTERS_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define LETTER_BYTES 4 /* at most */

/* How many bytes a letter has that begins with this one; 0: the text ends, or none does. */
static inline size_t letter_length(unsigned char first)
{
	if (first < 0x80)
		return first > 0;
	if (first < 0xc2 || first > 0xf4)
		return 0;
	return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/* Whether this byte may be the second one: the shortest form, no surrogate, up to U+10FFFF. */
static inline bool letter_goes_on(unsigned char first, unsigned char second)
{
	const unsigned char low = first == 0xe0 ? 0xa0 : first == 0xf0 ? 0x90 : 0x80;
	const unsigned char high = first == 0xed ? 0x9f : first == 0xf4 ? 0x8f : 0xbf;

	return second >= low && second <= high;
}

/* Bytes of the letter that begins here; 0: the text ends, or these bytes are none. */
static inline size_t letter_bytes(const char *text)
{
	const unsigned char first = (unsigned char)text[0];
	const size_t bytes = letter_length(first);

	if (bytes > 1 && !letter_goes_on(first, (unsigned char)text[1]))
		return 0;
	for (size_t i = 2; i < bytes; i++)
		if (((unsigned char)text[i] & 0xc0) != 0x80)
			return 0;
	return bytes;
}

/* The number in Unicode of this letter, of `bytes` bytes. */
static inline uint32_t letter_number(const char *letter, size_t bytes)
{
	const unsigned char first = (unsigned char)letter[0];
	uint32_t number = bytes == 1 ? first : first & (0x7fu >> bytes);

	for (size_t i = 1; i < bytes; i++)
		number = number << 6 | ((unsigned char)letter[i] & 0x3f);
	return number;
}

/* How many of the first `size` bytes to print, by "%.*s": the last letter is whole. */
static inline int letters_within(const char *text, size_t size)
{
	const char *const end = memchr(text, 0, size + 1);

	if (end)
		return (int)(end - text);
	for (size_t back = 0; back < LETTER_BYTES && back <= size; back++)
		if (letter_bytes(text + size - back) > back)
			return (int)(size - back);
	return (int)size;
}

/* Copy a text into a room of this size, 4 at least. Of one that does not fit, "..." shows that it
 * is cut. Returns the room. */
static inline const char *letters_cut(char room[], size_t size, const char *text)
{
	if (strlen(text) < size)
		return memcpy(room, text, strlen(text) + 1);
	snprintf(room, size, "%.*s...", letters_within(text, size - 4), text);
	return room;
}

/* Copy a text into a room of this size. Of one that is longer than `most` bytes, which fit, "..."
 * is in the place of the middle: texts that begin alike may differ at their ends. Returns the room.
 */
static inline const char *letters_cut_middle(char room[], size_t size, const char *text,
					     size_t most)
{
	const size_t part = (most - strlen("...")) / 2;
	const char *end;

	if (strlen(text) <= most)
		return letters_cut(room, size, text);
	end = text + strlen(text) - part;
	while (((unsigned char)*end & 0xc0) == 0x80)
		end++;
	snprintf(room, size, "%.*s...%s", letters_within(text, part), text, end);
	return room;
}

/* Each byte becomes '?' at which bytes_of() says that no letter begins that may stay. It gives the
 * bytes of one that may. */
static inline void letters_replace(char *text, size_t (*bytes_of)(const char *text))
{
	while (*text) {
		const size_t bytes = bytes_of(text);

		if (!bytes)
			*text = '?';
		text += bytes ? bytes : 1;
	}
}

/* Make UTF-8 of a text: each byte that is of no letter becomes '?'. */
static inline void letters_mend(char *text)
{
	letters_replace(text, letter_bytes);
}

/* The end of this text was cut off, perhaps within a letter: take its first bytes away, too. */
static inline void letters_trim(char *text)
{
	const size_t length = strlen(text);

	for (size_t back = 1; back < LETTER_BYTES && back <= length; back++) {
		const unsigned char c = (unsigned char)text[length - back];

		if (letter_length(c) > back)
			text[length - back] = 0;
		if ((c & 0xc0) != 0x80)
			return;
	}
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 0)))
#endif
/* vsnprintf(3). What does not fit is cut off. */
static inline void
letters_print(char text[], size_t size, const char *format, va_list list)
{
	const int length = vsnprintf(text, size, format, list);

	if (length < 0 || (size_t)length >= size)
		letters_trim(text);
}

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* Append to a text in a memory of this size. */
static inline void
letters_add(char text[], size_t size, const char *format, ...)
{
	const size_t length = strlen(text);
	va_list list;

	va_start(list, format);
	letters_print(text + length, size - length, format, list);
	va_end(list);
}

#endif
