/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "values.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

void values_sort(double values[], size_t n)
{
	qsort(values, n, sizeof *values, compare);
}

double values_median(double values[], size_t n)
{
	values_sort(values, n);
	return values[n / 2];
}
