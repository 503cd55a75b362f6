/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "welch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CROPS 100

static double mean_of(const double values[], size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

/* The variance of their mean. */
static double error_of(const double values[], size_t n, double mean)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return sum / (double)(n - 1) / (double)n;
}

double welch_t(const double a[], size_t n, const double b[], size_t m)
{
	double of_a, of_b, error;

	if (n < 2 || m < 2)
		return 0;
	of_a = mean_of(a, n);
	of_b = mean_of(b, m);
	error = error_of(a, n, of_a) + error_of(b, m, of_b);
	if (error > 0)
		return (of_b - of_a) / sqrt(error);
	/* Each group has one value only. */
	return of_a == of_b ? 0 : copysign(INFINITY, of_b - of_a);
}

static int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* How many of sorted values are at most this. */
static size_t count_upto(const double sorted[], size_t n, double limit)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (sorted[middle] <= limit)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static double farther(double t, double other)
{
	return fabs(other) > fabs(t) ? other : t;
}

double welch_cropped(double a[], size_t n, double b[], size_t m)
{
	double *const both = malloc((n + m + 1) * sizeof *both);
	double farthest = welch_t(a, n, b, m);

	if (!both)
		return NAN;
	memcpy(both, a, n * sizeof *a);
	memcpy(both + n, b, m * sizeof *b);
	qsort(both, n + m, sizeof *both, ascending);
	qsort(a, n, sizeof *a, ascending);
	qsort(b, m, sizeof *b, ascending);
	for (int i = 1; i <= CROPS && n + m > 0; i++) {
		const double part = 1 - pow(0.5, i / 10.0);
		const double limit = both[(size_t)(part * (double)(n + m - 1))];
		const size_t of_a = count_upto(a, n, limit), of_b = count_upto(b, m, limit);

		if (of_a >= WELCH_LEAST && of_b >= WELCH_LEAST)
			farthest = farther(farthest, welch_t(a, of_a, b, of_b));
	}
	free(both);
	return farthest;
}
