/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "statistics.h"

#include <float.h>
#include <math.h>

/* Up to this many values, all sums of binomial coefficients are whole numbers that a double holds
 * exactly. */
#define EXACT_MAX 50

/* A sum that is larger than this is divided by this power of 2. */
#define SUM_MAX 0x1p500
#define SUM_MAX_EXPONENT 500

/* From one gap of the sort to the next. Ciura's gaps for small arrays are near 1/2.25 each. */
#define GAP_FROM 4
#define GAP_TO 9

/* NaN goes behind all numbers. */
static bool is_after(double a, double b)
{
	return a > b || (isnan(a) && !isnan(b));
}

/* Shell's sort. It allocates nothing, as qsort() may, and is quick for the few values of a block,
 * which are sorted most often. */
void statistics_sort(double values[], size_t n)
{
	size_t gap = n;

	while (gap > 1) {
		gap = gap * GAP_FROM / GAP_TO;
		if (gap == 0)
			gap = 1;
		for (size_t i = gap; i < n; i++) {
			const double value = values[i];
			size_t j = i;

			for (; j >= gap && is_after(values[j - gap], value); j -= gap)
				values[j] = values[j - gap];
			values[j] = value;
		}
	}
}

double statistics_quantile(const double sorted[], size_t n, double p)
{
	const double at = p * (double)(n - 1);
	const size_t i = (size_t)at;

	/* Between two equal values nothing is computed, because infinity less infinity is no
	 * number. */
	if (i + 1 >= n || sorted[i] == sorted[i + 1])
		return sorted[i < n ? i : n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

/* Value i takes the room from i to i + 1, and the middle half is from n/4 to n - n/4. */
double statistics_iqm(const double sorted[], size_t n)
{
	const size_t whole = n / 4;                  /* these are left out */
	const double part = 1 - (double)(n % 4) / 4; /* of the value on the border */
	double sum = 0;

	/* One value or two: the border is in the same value on both sides, or in neighbours. */
	if (n < 3)
		return sorted[0] == sorted[n - 1] ? sorted[0] : sorted[0] / 2 + sorted[n - 1] / 2;
	for (size_t i = whole + 1; i < n - whole - 1; i++)
		sum += sorted[i];
	sum += part * (sorted[whole] + sorted[n - whole - 1]);
	return sum / ((double)n / 2);
}

/*
 * Go through the borders of all values' ranges from below. Between two borders, so many ranges lie
 * over one another, and so much of the values has passed. Distances from one of the values are
 * summed up, because they are small, and so is what is lost by rounding.
 */
double statistics_smooth_iqm(const double sorted[], size_t n, double width)
{
	const double origin = sorted[n / 2], from = (double)n / 4, to = (double)n - from;
	double at = 0, passed = 0, sum = 0;
	size_t begun = 0, ended = 0;

	if (!(width > 0))
		return statistics_iqm(sorted, n);
	while (ended < n && passed < to) {
		const double begin = begun < n ? sorted[begun] - origin - width / 2 : INFINITY;
		const double end = sorted[ended] - origin + width / 2;
		const double border = fmin(begin, end);
		const double density = (double)(begun - ended) / width;

		if (density > 0) {
			const double next = passed + density * (border - at);
			const double low = fmax(from, passed), high = fmin(to, next);

			if (high > low)
				sum += (high - low) *
				       (at + (low + high - 2 * passed) / (2 * density));
			passed = next;
		}
		at = border;
		if (begin <= end)
			begun++;
		else
			ended++;
	}
	return origin + sum / (to - from);
}

/*
 * The chances are summed up from the tail: term is the number of ways in which k of n coins show
 * heads, and sum that for k or fewer, both divided by 2 to the power of scaled.
 */
size_t statistics_median_rank(size_t n, double error)
{
	/* Each step rounds a few times. Never take too narrow an interval for that. */
	const double slack = n > EXACT_MAX ? 4 * DBL_EPSILON * (double)n : 0;
	const double limit = error / 2 * (1 - slack);
	double term = 1, sum = 1;
	int scaled = 0;
	size_t k = 0;

	if (!(limit > 0))
		return 0;
	while (k < (n + 1) / 2 && ldexp(sum, scaled - (int)n) <= limit) {
		term = term * (double)(n - k) / (double)(k + 1);
		sum += term;
		if (sum > SUM_MAX) {
			term /= SUM_MAX;
			sum /= SUM_MAX;
			scaled += SUM_MAX_EXPONENT;
		}
		k++;
	}
	return k;
}

bool statistics_median_interval(const double sorted[], size_t n, double error, double *low,
				double *high)
{
	const size_t k = statistics_median_rank(n, error);

	if (k == 0)
		return false;
	*low = sorted[k - 1];
	*high = sorted[n - k];
	return true;
}
