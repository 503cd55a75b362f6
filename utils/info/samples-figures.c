/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "samples-figures.h"

#include <stdlib.h>

#define NS_PER_S 1e9
#define PPM 1e6

/* The middle is printed with one decimal, so its bound is widened by what rounding takes away. */
#define ROUNDING_NS 0.1

static int compare_differences(const void *a, const void *b)
{
	const int64_t *const x = a, *const y = b;

	return (*x > *y) - (*x < *y);
}

/* Move the next difference, with how often it occurs in a row, from a sorted array. */
static struct tally_entry take_run(const int64_t differences[], size_t n, size_t *i)
{
	struct tally_entry run = { differences[*i], 0 };

	for (; *i < n && differences[*i] == run.difference; ++*i)
		run.occurrences++;
	return run;
}

bool tally_add(struct tally *tally, int64_t differences[], size_t n)
{
	struct tally_entry *const merged = calloc(tally->n + n + 1, sizeof *merged);
	size_t count = 0, old = 0;

	if (!merged)
		return false;
	if (n)
		qsort(differences, n, sizeof differences[0], compare_differences);
	for (size_t i = 0; i < n;) {
		struct tally_entry run = take_run(differences, n, &i);

		while (old < tally->n && tally->entries[old].difference < run.difference)
			merged[count++] = tally->entries[old++];
		if (old < tally->n && tally->entries[old].difference == run.difference)
			run.occurrences += tally->entries[old++].occurrences;
		merged[count++] = run;
	}
	while (old < tally->n)
		merged[count++] = tally->entries[old++];
	free(tally->entries);
	*tally = (struct tally){ count, merged };
	return true;
}

void tally_free(struct tally *tally)
{
	free(tally->entries);
	*tally = (struct tally){ 0 };
}

/* The counts wrap, so their difference is taken without a sign. */
static double counts_between(struct reading first, struct reading last)
{
	return (double)(int64_t)((uint64_t)last.count - (uint64_t)first.count);
}

static double seconds_between(struct reading first, struct reading last)
{
	return (double)(last.ns - first.ns) / NS_PER_S;
}

bool samples_residual(struct reading first, struct reading last, uint64_t hz, double *ppm)
{
	const double expected = (double)hz * seconds_between(first, last);

	if (last.ns <= first.ns)
		return false;
	*ppm = (counts_between(first, last) - expected) / expected * PPM;
	return true;
}

bool samples_hz(struct reading first, struct reading last, double *hz)
{
	if (last.ns <= first.ns)
		return false;
	*hz = counts_between(first, last) / seconds_between(first, last);
	return *hz > 0;
}

bool samples_narrow(struct skew_bounds *bounds, struct skew_bounds by)
{
	if (by.low > bounds->low)
		bounds->low = by.low;
	if (by.high < bounds->high)
		bounds->high = by.high;
	return bounds->low <= bounds->high;
}

void samples_offset(struct skew_bounds bounds, uint64_t hz, double step, double *offset_ns,
		    double *bound_ns)
{
	const double ns = NS_PER_S / (double)hz, low = (double)bounds.low,
		     high = (double)bounds.high;

	*offset_ns = (low + high) / 2 * ns;
	*bound_ns = ((high - low) / 2 + step) * ns + ROUNDING_NS;
}

static int compare_doubles(const void *a, const void *b)
{
	const double *const x = a, *const y = b;

	return (*x > *y) - (*x < *y);
}

double samples_median(double values[], size_t n)
{
	qsort(values, n, sizeof values[0], compare_doubles);
	return (values[(n - 1) / 2] + values[n / 2]) / 2;
}
