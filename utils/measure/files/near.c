/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "near.h"

#include <string.h>

/* The bytes before a number say that it may be a distance of 32 bits: call, jmp, jcc and xbegin,
 * and an address that counts from the instruction (ModRM without a base). */
static bool is_long(const unsigned char *bytes, size_t at)
{
	const unsigned last = bytes[at - 1], before = at > 1 ? bytes[at - 2] : 0;

	return last == 0xe8 || last == 0xe9 || (before == 0x0f && (last & 0xf0) == 0x80) ||
	       (before == 0xc7 && last == 0xf8) || (last & 0xc7) == 0x05;
}

/* jcc, loop, jrcxz and jmp. */
static bool is_short(unsigned last)
{
	return (last & 0xf0) == 0x70 || (last & 0xfc) == 0xe0 || last == 0xeb;
}

bool near_way(const unsigned char *bytes, size_t size, size_t at, size_t *length, int64_t *to)
{
	uint32_t far = 0;

	if (at == 0 || at >= size)
		return false;
	if (is_long(bytes, at) && size - at >= 4) {
		for (unsigned i = 0; i < 4; i++)
			far |= (uint32_t)bytes[at + i] << 8 * i;
		*length = 4;
		*to = (int64_t)at + 4 + (int32_t)far;
		return true;
	}
	if (!is_short(bytes[at - 1]))
		return false;
	*length = 1;
	*to = (int64_t)at + 1 + (int8_t)bytes[at];
	return true;
}

/* call and jmp, but not what subtracts a number; jcc; and lea. */
bool near_is_sure(const unsigned char *bytes, size_t at)
{
	const unsigned last = bytes[at - 1], before = at > 1 ? bytes[at - 2] : 0;

	return ((last & 0xfe) == 0xe8 && before != 0x81) ||
	       (before == 0x0f && (last & 0xf0) == 0x80) || (before == 0x8d && (last & 0xc7) == 5);
}

unsigned near_rest(const unsigned char before[2])
{
	static const unsigned char bytes[] = { 0x6b, 0x80, 0x83, 0xc0, 0xc1, 0xc6, 0xf6 },
				   words[] = { 0x69, 0x81, 0xc7, 0xf7 };

	if ((before[1] & 0xc7) != 0x05)
		return 0;
	if (memchr(words, before[0], sizeof words))
		return 4;
	return memchr(bytes, before[0], sizeof bytes) ? 1 : 0;
}

bool near_ends(const unsigned char *bytes, size_t size)
{
	unsigned char end[5] = { 0 };

	for (size_t i = 0; i < sizeof end && i < size; i++)
		end[4 - i] = bytes[size - 1 - i];
	/* ret, hlt, int3; jmp; ud2; a jump or a call by a register, or a jump by a table of
	 * methods; jmp and call. */
	return end[4] == 0xc3 || end[4] == 0xf4 || end[4] == 0xcc || end[3] == 0xeb ||
	       (end[3] == 0x0f && end[4] == 0x0b) || (end[3] == 0xff && end[4] >= 0xd0) ||
	       (end[2] == 0xff && (end[3] & 0xf8) == 0x60) || (end[0] & 0xfe) == 0xe8;
}
