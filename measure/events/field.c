/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "field.h"
#include "digits.h"
#include "name.h"

#include <errno.h>
#include <string.h>

#define BITS 64

/* Which bits of which word a field has. Its ranges ascend, so the lowest bit of a value stands in
 * the lowest bit of the field, and so on. */
struct field {
	unsigned word; /* 0: config, 1: config1, 2: config2 */
	uint64_t bits;
};

/* The number of a bit, or -1. */
static int take_bit(const char **p)
{
	uint64_t bit;

	return digits_take(p, 10, &bit) && bit < BITS ? (int)bit : -1;
}

/* "0-7" or "21", of which all bits must be above the last one. */
static bool take_range(const char **p, int *last, uint64_t *bits)
{
	const int low = take_bit(p);
	int high = low;

	if (low <= *last)
		return false;
	if (**p == '-') {
		++*p;
		high = take_bit(p);
	}
	if (high < low)
		return false;
	for (int bit = low; bit <= high; bit++)
		*bits |= UINT64_C(1) << bit;
	*last = high;
	return true;
}

/* A word that is not known, such as config3, is refused: the event would be another one. */
static bool parse_field(const char *format, struct field *field)
{
	static const char word[] = "config";
	const char *p = format + sizeof word - 1;
	int last = -1;

	*field = (struct field){ 0 };
	if (strncmp(format, word, sizeof word - 1) != 0)
		return false;
	if (*p > '0' && *p < '0' + EVENT_CONFIGS)
		field->word = (unsigned)(*p++ - '0');
	if (*p != ':')
		return false;
	do {
		p++;
		if (!take_range(&p, &last, &field->bits))
			return false;
	} while (*p == ',');
	return *p == 0 || (*p == '\n' && p[1] == 0);
}

int event_field_place(const char *format, uint64_t value, struct event_config *config)
{
	struct field field;
	uint64_t placed = 0;

	if (!parse_field(format, &field))
		return -EINVAL;
	if ((config->taken[field.word] | config->value[field.word]) & field.bits)
		return -EEXIST;
	for (unsigned bit = 0; bit < BITS; bit++) {
		const uint64_t here = UINT64_C(1) << bit;

		if (!(field.bits & here))
			continue;
		if (value & 1)
			placed |= here;
		value >>= 1;
	}
	if (value)
		return -ERANGE;
	config->value[field.word] |= placed;
	config->taken[field.word] |= field.bits;
	return 0;
}

static bool take_term(const char **p, struct event_term *term)
{
	size_t length = 0;
	bool hex;

	while (event_name_letter((*p)[length]))
		if (++length == sizeof term->name)
			return false;
	if (length == 0)
		return false;
	memcpy(term->name, *p, length);
	term->name[length] = 0;
	term->value = 1;
	*p += length;
	term->has_value = **p == '=';
	if (!term->has_value)
		return true;
	++*p;
	/* 60 or 0x3c */
	hex = (*p)[0] == '0' && (*p)[1] == 'x';
	*p += hex ? 2 : 0;
	return digits_take(p, hex ? 16 : 10, &term->value);
}

bool event_term_next(const char **terms, struct event_term *term, bool *bad)
{
	const char *p = *terms;

	*bad = false;
	if (!*p)
		return false;
	/* A comma must have a term after it, too. */
	*bad = !take_term(&p, term) || (*p && *p != ',') || (*p && !p[1]);
	if (*bad)
		return false;
	*terms = p + (*p == ',');
	return true;
}
