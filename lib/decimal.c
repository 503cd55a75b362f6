/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "decimal.h"
#include "digits.h"

/* With a larger exponent a number is 0 or too large, whatever its digits. */
#define POWER_MAX 400

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_space(char c)
{
	return is_blank(c) || c == '\n' || c == '\r';
}

/* If e[+-]digits stands at p, add the number to *power. Returns where the text goes on. */
static const char *parse_exponent(const char *p, int *power)
{
	const char *q = p + 1;
	bool negative = *p && *q == '-';
	int exponent = 0;

	if (*p != 'e' && *p != 'E')
		return p;
	if (*q == '+' || *q == '-')
		q++;
	if (!digit_is_decimal(*q))
		return p;
	for (; digit_is_decimal(*q); q++)
		if (exponent < POWER_MAX)
			exponent = exponent * 10 + (*q - '0');
	*power += negative ? -exponent : exponent;
	return q;
}

/* Append the digits of the fraction at p. Returns where the text goes on. */
static const char *parse_fraction(const char *p, uint64_t *value, int *power)
{
	for (; digit_is_decimal(*p); p++) {
		/* More digits would not fit; they are too small to matter. */
		if (*value > UINT64_MAX / 100)
			continue;
		*value = *value * 10 + (unsigned)(*p - '0');
		--*power;
	}
	return p;
}

bool decimal_parse(const char **text, int power, uint64_t *value)
{
	const char *p = *text;
	*value = 0;
	while (is_blank(*p))
		p++;
	if (*p == '.' && !digit_is_decimal(p[1]))
		return false;
	if (*p != '.' && !digits_take(&p, 10, value))
		return false;
	if (*p == '.')
		p = parse_fraction(p + 1, value, &power);
	p = parse_exponent(p, &power);
	for (; power > 0 && *value; power--)
		if (!digit_push(value, 10, 0))
			return false;
	for (; power < 0 && *value; power++)
		*value /= 10;
	*text = p;
	return true;
}

bool decimal_whole(const char *text, int power, uint64_t *value)
{
	if (!decimal_parse(&text, power, value))
		return false;
	while (is_space(*text))
		text++;
	return *text == 0;
}

static const char *skip_blanks(const char *p)
{
	while (is_blank(*p) || *p == '\r')
		p++;
	return p;
}

bool decimal_hertz(const char *text, uint64_t *hz)
{
	const char *p = text;

	if (!decimal_parse(&p, 0, hz) || p - text > DECIMAL_HERTZ_MAX)
		return false;
	p = skip_blanks(p);
	if (p[0] == 'H' && p[1] == 'z')
		p = skip_blanks(p + 2);
	return *p == 0 || *p == '\n' || *p == '#';
}
