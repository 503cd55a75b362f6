/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "near.h"

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

bool near_ends(const unsigned char *bytes, size_t size)
{
	const unsigned char *const end = bytes + size;

	if (size < 5)
		return size > 0 && end[-1] == 0xc3;
	/* ret, hlt, int3; jmp; ud2; a jump or a call by a register, or a jump by a table of
	 * methods.
	 */
	return end[-1] == 0xc3 || end[-1] == 0xf4 || end[-1] == 0xcc || end[-2] == 0xeb ||
	       (end[-2] == 0x0f && end[-1] == 0x0b) || (end[-2] == 0xff && end[-1] >= 0xd0) ||
	       (end[-3] == 0xff && (end[-2] & 0xf8) == 0x60) || (end[-5] & 0xfe) == 0xe8;
}
