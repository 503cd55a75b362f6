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

/* NaN goes after all numbers. */
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

void statistics_take(const double values[], size_t apart, size_t n, double sorted[])
{
	for (size_t i = 0; i < n; i++)
		sorted[i] = values[i * apart];
	statistics_sort(sorted, n);
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

double statistics_median(double values[], size_t n)
{
	statistics_sort(values, n);
	return statistics_quantile(values, n, 0.5);
}

double statistics_mean(const double values[], size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += values[i];
	return sum / (double)n;
}

/* Value i takes the room from i to i + 1. What of the room lies between the ends counts. */
double statistics_trimmed_mean(const double sorted[], size_t n, double part)
{
	const double from = part * (double)n, to = (double)n - from;
	const size_t first = (size_t)from, last = (size_t)ceil(to) - 1;
	double sum = 0;

	/* One value or two: the ends are in the same value, or in neighbours. */
	if (first >= last || n < 3)
		return sorted[first] == sorted[n - 1 - first] ?
			       sorted[first] :
			       sorted[first] / 2 + sorted[n - 1 - first] / 2;
	for (size_t i = first + 1; i < last; i++)
		sum += sorted[i];
	sum += ((double)first + 1 - from) * (sorted[first] + sorted[last]);
	return sum / (to - from);
}

double statistics_iqm(const double sorted[], size_t n)
{
	return statistics_trimmed_mean(sorted, n, 0.25);
}

/* Between two neighbouring borders of the values' ranges, in which as many ranges lie over one
 * another. Distances from one of the values are summed up, because they are small, and so is what
 * is lost by rounding. */
struct stretch {
	size_t begun, ended;  /* values whose ranges have */
	double from, to;      /* distances from the origin */
	double passed, until; /* so much of the values lies below its ends */
	double density;
};

static double origin_of(const double sorted[], size_t n)
{
	return sorted[n / 2];
}

/* The next one, from below. All zeros at first. False: all ranges have ended. */
static bool go_on(struct stretch *s, const double sorted[], size_t n, double width)
{
	const double origin = origin_of(sorted, n);
	double begin, end;

	do {
		if (s->ended == n)
			return false;
		begin = s->begun < n ? sorted[s->begun] - origin - width / 2 : INFINITY;
		end = sorted[s->ended] - origin + width / 2;
		s->from = s->to;
		s->to = fmin(begin, end);
		s->passed = s->until;
		s->density = (double)(s->begun - s->ended) / width;
		if (begin <= end)
			s->begun++;
		else
			s->ended++;
	} while (!(s->density > 0));
	s->until = s->passed + s->density * (s->to - s->from);
	return true;
}

/* Where so much of the values lies below: somewhere in this stretch. */
static double reach(const struct stretch *s, double part)
{
	return s->from + (part - s->passed) / s->density;
}

double statistics_smooth_iqm(const double sorted[], size_t n, double width)
{
	const double from = (double)n / 4, to = (double)n - from;
	struct stretch s = { 0 };
	double sum = 0;

	if (!(width > 0))
		return statistics_iqm(sorted, n);
	while (s.until < to && go_on(&s, sorted, n, width)) {
		const double low = fmax(from, s.passed), high = fmin(to, s.until);

		if (high > low)
			sum += (high - low) * reach(&s, (low + high) / 2);
	}
	return origin_of(sorted, n) + sum / (to - from);
}

void statistics_smooth_quantiles(const double sorted[], size_t n, double width,
				 const double parts[], size_t count, double quantiles[])
{
	struct stretch s = { 0 };
	size_t i = 0;

	if (!(width > 0)) {
		for (; i < count; i++)
			quantiles[i] = statistics_quantile(sorted, n, parts[i]);
		return;
	}
	while (i < count && go_on(&s, sorted, n, width))
		for (; i < count && parts[i] * (double)n <= s.until; i++)
			quantiles[i] = origin_of(sorted, n) + reach(&s, parts[i] * (double)n);
	/* What rounding has left after the last range. */
	for (; i < count; i++)
		quantiles[i] = sorted[n - 1] + width / 2;
}

/*
 * The chances are summed up from the tail: term is the number of ways in which k of n coins show
 * heads, and sum that for k or fewer, both divided by 2 to the power of scaled.
 */
size_t statistics_median_rank(size_t n, double alpha)
{
	/* Each step rounds a few times. Never take too narrow an interval for that. */
	const double slack = n > EXACT_MAX ? 4 * DBL_EPSILON * (double)n : 0;
	const double limit = alpha / 2 * (1 - slack);
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

bool statistics_median_interval(const double sorted[], size_t n, double alpha, double *low,
				double *high)
{
	const size_t k = statistics_median_rank(n, alpha);

	if (k == 0)
		return false;
	*low = sorted[k - 1];
	*high = sorted[n - k];
	return true;
}

/*
 * chances[s] is the chance that the ranks with a positive sign have the sum s, for the ranks so
 * far. Each rank has a sign by a fair coin. Only sums up to half of all ranks are needed: the other
 * half mirrors them.
 */
size_t statistics_signed_rank(size_t n, double alpha, double chances[])
{
	const size_t half = n * (n + 1) / 4;
	double sum = 0;
	size_t k = 0;

	if (!(alpha > 0))
		return 0;
	for (size_t s = 0; s <= half; s++)
		chances[s] = s == 0;
	for (size_t rank = 1; rank <= n; rank++) {
		/* So many ranks have no larger sum. */
		const size_t largest = rank * (rank + 1) / 2,
			     most = largest < half ? largest : half;

		for (size_t s = most + 1; s-- > 0;)
			chances[s] = (chances[s] + (s >= rank ? chances[s - rank] : 0)) / 2;
	}
	while (k <= half && (sum += chances[k]) <= alpha / 2)
		k++;
	return k;
}

bool statistics_signed_rank_interval(const double values[], size_t n, double alpha,
				     double scratch[], double *estimate, double *low, double *high)
{
	const size_t k = statistics_signed_rank(n, alpha, scratch);
	size_t means = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j <= i; j++)
			scratch[means++] = values[i] / 2 + values[j] / 2;
	*estimate = statistics_median(scratch, means);
	if (k == 0)
		return false;
	*low = scratch[k - 1];
	*high = scratch[means - k];
	return true;
}
