/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a terminal prints of a text from outside, such as the name of a function. Inline, because
 * programs and the second library use it. Pure. */

#ifndef CPUCYCLES_PRINTABLE_H
#define CPUCYCLES_PRINTABLE_H

#include "letters.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first and the last of characters. */
struct printable_range {
	uint32_t from, to;
};

/* Characters that are commands to a terminal, or that move others of their line or hide in it.
 * Source: Unicode 15.1, the categories Cc, Cf and Zl to Zp, without those of single scripts. */
static inline bool printable_obeyed(uint32_t c)
{
	static const struct printable_range obeyed[] = {
		{ 0, 0x1f },        { 0x7f, 0x9f },     { 0xad, 0xad },       { 0x61c, 0x61c },
		{ 0x180e, 0x180e }, { 0x200b, 0x200f }, { 0x2028, 0x202e },   { 0x2060, 0x206f },
		{ 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe007f },
	};

	for (size_t i = 0; i < sizeof obeyed / sizeof obeyed[0]; i++)
		if (c >= obeyed[i].from && c <= obeyed[i].to)
			return true;
	return false;
}

/* Bytes of the letter that begins here, if a terminal prints it; 0: it does not, or these bytes are
 * no UTF-8. */
static inline size_t printable(const char *text)
{
	const size_t bytes = letter_bytes(text);

	return bytes && !printable_obeyed(letter_number(text, bytes)) ? bytes : 0;
}

/* In place of each byte that a terminal would not print there is a question mark. */
static inline void printable_line(char *text)
{
	letters_replace(text, printable);
}

#endif
