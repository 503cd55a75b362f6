/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Two ways to read a table at a secret place. The first one reads only that place, so its time
 * tells whether the place was in the cache. Here group 0 is one fixed input, and group 1 a random
 * one for each call: there is no lookup_input.
 *
 *     cpucycles-measure --leak lookup.c:lookup
 *     cpucycles-measure --leak lookup.c:scan
 */

#include "functions.h"

#define BIG 65536 /* more than the first cache of most processors */
#define SMALL 256

/* Not static: the compiler would see that nobody writes them. Not all zero: pages that nobody has
 * written may be one and the same page of memory. */
unsigned char big_table[BIG] = { 1 }, small_table[SMALL] = { 1 };

static volatile unsigned char found;

/* Eight places, of two bytes each. A place follows from the value before, too, so the processor
 * cannot read them side by side. */
const size_t lookup_input_bytes = 16;
void lookup(const unsigned char *input)
{
	unsigned value = 0;

	for (size_t i = 0; i < 16; i += 2)
		value = big_table[(input[i] + 256u * input[i + 1]) ^ value];
	found = (unsigned char)value;
}

/* All of a small table is read, and a mask keeps the byte that is wanted. */
const size_t scan_input_bytes = 1;
void scan(const unsigned char *input)
{
	unsigned value = 0;

	for (unsigned i = 0; i < SMALL; i++) {
		const unsigned wanted = ((i ^ input[0]) - 1) >> 8 & 255;

		value |= small_table[i] & wanted;
	}
	found = (unsigned char)value;
}
