/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Numbers as text, always with a decimal point: a program that uses the library may have chosen a
 * locale with a comma, and scripts read what is printed. Pure. */

#ifndef CPUCYCLES_NUMBER_H
#define CPUCYCLES_NUMBER_H

#include <stdio.h>
#include <string.h>

/* Room for a number below 10^20 with 12 decimals. */
struct number {
	char text[48];
};

/* The locale's decimal separator, of one or more bytes, becomes a point. Zero has no sign, and
 * neither has a number that is rounded to zero. */
static inline void number_tidy(struct number *number)
{
	char *to = number->text;

	for (const char *from = number->text; *from;) {
		const size_t separator = strcspn(from, "+-0123456789aefin");

		if (separator) {
			*to++ = '.';
			from += separator;
		} else {
			*to++ = *from++;
		}
	}
	*to = 0;
	if (*number->text == '-' && !strpbrk(number->text, "123456789in"))
		memmove(number->text, number->text + 1, strlen(number->text));
}

/* As printf(3) writes it by %.*f. */
static inline struct number number_decimals(int decimals, double value)
{
	struct number number;

	snprintf(number.text, sizeof number.text, "%.*f", decimals, value);
	number_tidy(&number);
	return number;
}

/* As printf(3) writes it by %.*g. */
static inline struct number number_digits(int digits, double value)
{
	struct number number;

	snprintf(number.text, sizeof number.text, "%.*g", digits, value);
	number_tidy(&number);
	return number;
}

#endif
