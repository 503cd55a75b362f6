/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "alike.h"
#include "dependent.h"

#include <stddef.h>

#define WALK_ELEMENTS 300
#define CRC_BYTES 512
#define SEARCHES 8
#define SEARCH_NUMBERS 1000

/* All copies begin at a line of the cache, so their code has the same place in its lines. Without
 * no_icf, gcc makes one function of two that have the same code. */
#if defined(__GNUC__) && !defined(__clang__)
#define ALIKE __attribute__((aligned(64), noinline, no_icf))
#elif defined(__GNUC__)
#define ALIKE __attribute__((aligned(64), noinline))
#else
#define ALIKE
#endif

/* Nobody reads these values, and the compiler must not know that. */
#if defined(__GNUC__)
#define ALIKE_KEEP(value) __asm__ volatile("" : : "r"(value))
#else
static volatile unsigned long alike_kept;
#define ALIKE_KEEP(value) (alike_kept = (unsigned long)(value))
#endif

struct alike_element {
	const struct alike_element *next;
	unsigned long unused;
};

static unsigned long alike_table[256];
static unsigned char alike_text[CRC_BYTES];
static unsigned long alike_numbers[SEARCH_NUMBERS];

/* The next one is 77 elements further, so no prefetcher is ahead. 77 and 300 have no common
 * divisor: the list has all elements. */
static void alike_make_list(struct alike_element list[WALK_ELEMENTS])
{
	for (size_t i = 0; i < WALK_ELEMENTS; i++)
		list[i].next = &list[(i + 77) % WALK_ELEMENTS];
}

#define COPY(name) name##_0
#include "alike-copy.h"
#undef COPY
#define COPY(name) name##_1
#include "alike-copy.h"
#undef COPY
#define COPY(name) name##_2
#include "alike-copy.h"
#undef COPY
#define COPY(name) name##_3
#include "alike-copy.h"
#undef COPY

const struct alike alike_all[ALIKE_KINDS] = {
	{ "straight code", { chain_0, chain_1, chain_2, chain_3 } },
	{ "walks through memory", { walk_0, walk_1, walk_2, walk_3 } },
	{ "a loop with a table", { crc_0, crc_1, crc_2, crc_3 } },
	{ "unpredictable branches", { search_0, search_1, search_2, search_3 } },
};

void alike_prepare(void)
{
	alike_make_list(list_0);
	alike_make_list(list_1);
	alike_make_list(list_2);
	alike_make_list(list_3);
	for (size_t i = 0; i < 256; i++) {
		unsigned long value = i;

		for (int bit = 0; bit < 8; bit++)
			value = value & 1 ? value >> 1 ^ 0xedb88320 : value >> 1;
		alike_table[i] = value;
	}
	for (size_t i = 0; i < CRC_BYTES; i++)
		alike_text[i] = (unsigned char)(i * 31);
	for (size_t i = 0; i < SEARCH_NUMBERS; i++)
		alike_numbers[i] = i * (0x800000 / SEARCH_NUMBERS);
}
