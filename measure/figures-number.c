/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Numbers as they are shown to people. Pure, but for the locale. */

#include "config.h"

#include "figures.h"
#include "number.h"

#include <langinfo.h>
#include <math.h>
#include <string.h>

/* Of a figure whose interval is unknown, and of any figure. */
#define DIGITS_DEFAULT 4
#define DIGITS_MOST 7
#define DECIMALS_MOST 12

/* Half of an interval, as a part of a figure, with which the figure is shown with two digits, or
 * with three if the first is a 1. */
#define TWO_DIGITS 0.35

/* A larger number is no measured one, and has no room. */
#define NUMBER_MOST 1e18

/* Below 0: the number of digits before the point that are not certain. Half an interval of 0.35
 * to 3.5 is shown without decimals, as 1 to 3, or with one decimal, as 0.4 to 0.9. */
static int decimals_of(double value, double half)
{
	/* The place of the first digit: 2 for hundreds, -1 for tenths. */
	const int first = value != 0 ? (int)floor(log10(fabs(value))) : 0;
	int decimals = value != 0 ? DIGITS_DEFAULT - 1 - first : 0;

	if (half > 0 && isfinite(half))
		decimals = (int)ceil(log10(3.5 / half));
	if (decimals < -first)
		decimals = -first;
	if (decimals > DIGITS_MOST - 1 - first)
		decimals = DIGITS_MOST - 1 - first;
	return decimals < DECIMALS_MOST ? decimals : DECIMALS_MOST;
}

const char *figures_number(double value, double half, char text[FIGURES_NUMBER])
{
	int decimals;
	double unit;

	if (!(fabs(value) < NUMBER_MOST))
		return FIGURES_UNKNOWN;
	decimals = decimals_of(value, half);
	unit = decimals < 0 ? pow(10, -decimals) : 1;
	value = unit > 1 ? round(value / unit) * unit : value;
	snprintf(text, FIGURES_NUMBER, "%.39s",
		 number_decimals(decimals > 0 ? decimals : 0, value).text);
	return text;
}

struct figures_time_unit figures_time_unit(double ns)
{
	static const struct figures_time_unit units[] = {
		{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 }
	};
	size_t i = 0;

	while (i < 3 && fabs(ns) >= units[i + 1].ns)
		i++;
	return units[i];
}

const char *figures_time(double ns, double half, char text[FIGURES_NUMBER])
{
	const struct figures_time_unit unit = figures_time_unit(ns);
	char number[FIGURES_NUMBER];

	if (!isfinite(ns))
		return FIGURES_UNKNOWN;
	snprintf(text, FIGURES_NUMBER, "%.30s %s",
		 figures_number(ns / unit.ns, half / unit.ns, number), unit.name);
	return text;
}

const char *figures_plus_minus(enum table_form form)
{
	const bool utf8 = form == TABLE_MARKDOWN || !strcmp(nl_langinfo(CODESET), "UTF-8");

	return utf8 ? "\302\261" : "+-";
}

int figures_half_width(struct figures_value figure)
{
	char half[FIGURES_NUMBER];

	if (!(figure.half > 0))
		return 0;
	return (int)strlen(figures_number(figure.half, figure.half, half));
}

const char *figures_interval(struct figures_value figure, enum table_form form, int width,
			     char text[FIGURES_INTERVAL])
{
	char value[FIGURES_NUMBER], half[FIGURES_NUMBER];

	if (!figures_half_width(figure))
		return figures_number(figure.value, 0, text);
	snprintf(text, FIGURES_INTERVAL, "%s %s %*s",
		 figures_number(figure.value, figure.half, value), figures_plus_minus(form), width,
		 figures_number(figure.half, figure.half, half));
	return text;
}

const char *figures_percent(double part, char text[FIGURES_NUMBER])
{
	char number[FIGURES_NUMBER];

	snprintf(text, FIGURES_NUMBER, "%.30s %%",
		 figures_number(part * 100, TWO_DIGITS * (part * 100), number));
	return text;
}
