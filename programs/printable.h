/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a terminal prints of a text from outside, such as the name of a function. Inline, because
 * programs and the second library use it. Pure. */

#ifndef CPUCYCLES_PRINTABLE_H
#define CPUCYCLES_PRINTABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first and the last of characters. */
struct printable_range {
	uint32_t from, to;
};

/* Characters that are commands to a terminal, or that move others of their line or hide in it.
 * Source: Unicode 15.1, the categories Cc, Cf and Zl to Zp, without those of single scripts; and
 * the halves of pairs of UTF-16. */
static inline bool printable_obeyed(uint32_t c)
{
	static const struct printable_range obeyed[] = {
		{ 0, 0x1f },        { 0x7f, 0x9f },     { 0xad, 0xad },     { 0x61c, 0x61c },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e }, { 0x2060, 0x206f },
		{ 0xd800, 0xdfff }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < sizeof obeyed / sizeof obeyed[0]; i++)
		if (c >= obeyed[i].from && c <= obeyed[i].to)
			return true;
	return false;
}

/* Bytes of the character that begins here, if a terminal prints it; 0: it does not, or these bytes
 * are no UTF-8. */
static inline size_t printable(const char *text)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char first = (unsigned char)text[0];
	const size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
	uint32_t c = bytes == 1 ? first : first & (0xffu >> (bytes + 1));

	if (first >= 0xf8 || (first >= 0x80 && first < 0xc0))
		return 0;
	for (size_t i = 1; i < bytes; i++) {
		const unsigned char next = (unsigned char)text[i];

		if ((next & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (next & 0x3f);
	}
	return c < least[bytes] || c > 0x10ffff || printable_obeyed(c) ? 0 : bytes;
}

/* In place of each byte that a terminal would not print there is a question mark. */
static inline void printable_line(char *text)
{
	while (*text) {
		const size_t bytes = printable(text);

		if (!bytes)
			*text = '?';
		text += bytes ? bytes : 1;
	}
}

#endif
