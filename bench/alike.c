/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "alike.h"
#include "alike-define.h"
#include "dependent.h"

#include <stddef.h>
#include <string.h>

#define WALK_ELEMENTS 300
#define CRC_BYTES 512
#define CRC_BYTES_MAX 513
#define SEARCHES 8
#define SEARCH_NUMBERS 1000

/* All copies begin at a line of the cache, so their code and their data have the same place in
 * their lines. 4096: at a page, so they have the same place in their pages, too. */
#if !defined(ALIKE_ALIGN)
#define ALIKE_ALIGN 64
#endif

#if defined(__GNUC__)
#define ALIKE_ALIGNED __attribute__((aligned(ALIKE_ALIGN)))
#else
#define ALIKE_ALIGNED
#endif

#define ALIKE_FUNCTION(name) ALIKE_APART ALIKE_ALIGNED ALIKE_HEAD(COPY(name))

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
static unsigned char alike_text[CRC_BYTES_MAX];
static unsigned long alike_numbers[SEARCH_NUMBERS];

/* The next one is 77 elements further, so no prefetcher is ahead. 77 and n, which is 300 or 303,
 * have no common divisor: the list has all elements. */
static void alike_make_list(struct alike_element list[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		list[i].next = &list[(i + 77) % n];
}

#define ALIKE_COPY "alike-copy.h"
#include "alike-copies.h"

void alike_prepare(void)
{
	alike_make_list(list_0, WALK_ELEMENTS);
	alike_make_list(list_1, WALK_ELEMENTS);
	alike_make_list(list_2, WALK_ELEMENTS);
	alike_make_list(list_3, WALK_ELEMENTS);
	for (size_t i = 0; i < 256; i++) {
		unsigned long value = i;

		for (int bit = 0; bit < 8; bit++)
			value = value & 1 ? value >> 1 ^ 0xedb88320 : value >> 1;
		alike_table[i] = value;
	}
	for (size_t i = 0; i < CRC_BYTES_MAX; i++)
		alike_text[i] = (unsigned char)(i * 31);
	for (size_t i = 0; i < SEARCH_NUMBERS; i++)
		alike_numbers[i] = i * (0x800000 / SEARCH_NUMBERS);
}

#ifdef ALIKE_SHARED

/* For walks of different lengths. */
ALIKE_ALIGNED static struct alike_element list_of_300[300], list_of_303[303];

/* Before anybody calls a function of this object. */
__attribute__((constructor)) static void prepare(void)
{
	alike_prepare();
	alike_make_list(list_of_300, 300);
	alike_make_list(list_of_303, 303);
}

/* Inline, so that its length is part of each function's code. */
static inline void crc_of(size_t bytes, unsigned long *kept)
{
	unsigned long value = *kept ^ 0xffffffff;

	for (size_t i = 0; i < bytes; i++)
		value = alike_table[(value ^ alike_text[i]) & 0xff] ^ value >> 8;
	*kept = value;
}

ALIKE_EXPORTED(crc_of_512)
{
	static unsigned long kept;

	crc_of(512, &kept);
}

ALIKE_EXPORTED(crc_of_513)
{
	static unsigned long kept;

	crc_of(513, &kept);
}

static inline void walk_along(const struct alike_element *list)
{
	const struct alike_element *element = list;

	do {
		element = element->next;
		ALIKE_KEEP(element);
	} while (element != list);
}

ALIKE_EXPORTED(walk_of_300)
{
	walk_along(list_of_300);
}

ALIKE_EXPORTED(walk_of_303)
{
	walk_along(list_of_303);
}

ALIKE_EXPORTED(multiply_400)
{
	dependent_400(NULL);
}

ALIKE_EXPORTED(multiply_401)
{
	dependent_401(NULL);
}

ALIKE_EXPORTED(multiply_404)
{
	dependent_404(NULL);
}

ALIKE_EXPORTED(multiply_408)
{
	dependent_408(NULL);
}

#else

const struct alike alike_all[ALIKE_KINDS] = {
	{ "straight code", "chain", { chain_0, chain_1, chain_2, chain_3 } },
	{ "walks through memory", "walk", { walk_0, walk_1, walk_2, walk_3 } },
	{ "a loop with a table", "crc", { crc_0, crc_1, crc_2, crc_3 } },
	{ "unpredictable branches", "search", { search_0, search_1, search_2, search_3 } },
};

static const struct {
	const char *name;
	alike_function *call;
} chains[] = {
	{ "multiply_400", dependent_400 }, { "multiply_401", dependent_401 },
	{ "multiply_404", dependent_404 }, { "xor_20", dependent_20 },
	{ "xor_21", dependent_21 },
};

/* The number of the copy that a name ends with. ALIKE_COPIES: the name is not of this function. */
static size_t copy_of(const struct alike *alike, const char *name)
{
	const size_t length = strlen(alike->function);

	if (strncmp(name, alike->function, length) != 0 || name[length] != '_')
		return ALIKE_COPIES;
	for (size_t i = 0; i < ALIKE_COPIES; i++)
		if (name[length + 1] == (char)('0' + i) && !name[length + 2])
			return i;
	return ALIKE_COPIES;
}

alike_function *alike_named(const char *name)
{
	for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++)
		if (strcmp(chains[i].name, name) == 0)
			return chains[i].call;
	for (size_t i = 0; i < ALIKE_KINDS; i++) {
		const size_t copy = copy_of(&alike_all[i], name);

		if (copy < ALIKE_COPIES)
			return alike_all[i].copies[copy];
	}
	return NULL;
}

#endif
