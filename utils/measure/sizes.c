/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "sizes.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

/* Read a number, and move *text after it. */
static int take_number(const char **text, size_t *number)
{
	unsigned shift;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	*number = 0;
	for (; **text >= '0' && **text <= '9'; ++*text) {
		const size_t digit = (size_t)(**text - '0');

		if (*number > (SIZE_MAX - digit) / 10)
			return -ERANGE;
		*number = *number * 10 + digit;
	}
	shift = **text == 'K' ? 10 : **text == 'M' ? 20 : **text == 'G' ? 30 : 0;
	if (*number > SIZE_MAX >> shift)
		return -ERANGE;
	*number <<= shift;
	*text += shift > 0;
	return 0;
}

int sizes_number(const char *text, size_t *number)
{
	const int error = take_number(&text, number);

	return !error && *text ? -EINVAL : error;
}

static int add_size(struct sizes *sizes, size_t size)
{
	if (sizes->n == SIZES_MOST)
		return -E2BIG;
	sizes->list[sizes->n++] = size;
	return 0;
}

/* A range without an end is left out: a factor of 0 or 1, a step of 0, and 0 times a factor. */
static int add_range(struct sizes *sizes, size_t from, size_t to, char how, size_t by)
{
	int error;

	if (from > to || by == 0 || (how == '*' && (by == 1 || from == 0)))
		return -EINVAL;
	for (;;) {
		error = add_size(sizes, from);
		if (error)
			return error;
		/* The next one may be above SIZE_MAX. */
		if (how == '*' ? from > to / by : by > to - from)
			return 0;
		from = how == '*' ? from * by : from + by;
	}
}

/* Add the rest of FROM..TO*FACTOR, after FROM. */
static int take_range(const char **text, struct sizes *sizes, size_t from)
{
	size_t to, by;
	char how;
	int error;

	*text += 2;
	error = take_number(text, &to);
	if (error)
		return error;
	how = **text;
	if (how != '*' && how != '+')
		return -EINVAL;
	++*text;
	error = take_number(text, &by);
	return error ? error : add_range(sizes, from, to, how, by);
}

int sizes_parse(const char *text, struct sizes *sizes)
{
	sizes->n = 0;
	for (;; text++) {
		size_t size;
		int error = take_number(&text, &size);

		if (!error)
			error = strncmp(text, "..", 2) ? add_size(sizes, size) :
							 take_range(&text, sizes, size);
		if (error)
			return error;
		if (!*text)
			return 0;
		if (*text != ',')
			return -EINVAL;
	}
}
