/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Decimal numbers as the OS and sysadmins write frequencies. Pure, no locale. */

#ifndef CPUCYCLES_DECIMAL_H
#define CPUCYCLES_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/* Append a digit. False on overflow, and *value stays. */
static inline bool decimal_push(uint64_t *value, unsigned digit)
{
	if (*value > UINT64_MAX / 10 || *value * 10 > UINT64_MAX - digit)
		return false;
	*value = *value * 10 + digit;
	return true;
}

/*
 * Read [blanks]digits[.digits][e[+-]digits] from *text, times 10^power, cut to a
 * whole number. On success *text is behind it. No sign, no inf, no nan, no
 * overflow: those are false, and *text stays.
 */
bool decimal_parse(const char **text, int power, uint64_t *value);

/* The same, with nothing but white space behind it. */
bool decimal_whole(const char *text, int power, uint64_t *value);

#endif
