/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The digits of numbers in texts, for both libraries. Pure; the locale does not matter. */

#ifndef CPUCYCLES_DIGITS_H
#define CPUCYCLES_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

static inline bool digit_is_decimal(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a digit. What is none is too large for any base. */
static inline unsigned digit_value(char c)
{
	if (digit_is_decimal(c))
		return (unsigned)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10 : 16;
}

/* Append a digit. False on overflow, and *value is unchanged. */
static inline bool digit_push(uint64_t *value, unsigned base, unsigned digit)
{
	const uint64_t most = UINT64_MAX / base;

	if (*value >= most && (*value > most || digit > UINT64_MAX % base))
		return false;
	*value = *value * base + digit;
	return true;
}

/* Read the digits at *text, which moves after them. False: there are none, or they do not fit. */
static inline bool digits_take(const char **text, unsigned base, uint64_t *value)
{
	*value = 0;
	if (digit_value(**text) >= base)
		return false;
	for (; digit_value(**text) < base; ++*text)
		if (!digit_push(value, base, digit_value(**text)))
			return false;
	return true;
}

#endif
