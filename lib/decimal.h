/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Decimal numbers as operating systems and sysadmins write frequencies. Pure; the locale does not
 * matter. */

#ifndef CPUCYCLES_DECIMAL_H
#define CPUCYCLES_DECIMAL_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Read [blanks]digits[.digits][e[+-]digits] from *text and multiply by 10^power; the fraction is
 * cut off. On success *text points after the number. False for anything else, such as a sign, inf,
 * nan or a number that does not fit; *text is then unchanged.
 */
bool decimal_parse(const char **text, int power, uint64_t *value);

/* The same for a text that ends with the number; only white space may follow. */
bool decimal_whole(const char *text, int power, uint64_t *value);

/* Blanks before the number included. */
#define DECIMAL_HERTZ_MAX 63

/*
 * Read a frequency as a person writes it: the first line of the text is a number of at most
 * DECIMAL_HERTZ_MAX characters, then perhaps Hz, and then perhaps a comment, which begins with #.
 * Blanks and carriage returns may stand between these.
 */
bool decimal_hertz(const char *text, uint64_t *hz);

#endif
