/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "units.h"

#include "statistics.h"

#include <math.h>
#include <stdbool.h>

size_t units_values(const double log_ratios[], size_t n, size_t size, double values[])
{
	size_t known = 0;

	for (size_t unit = 0; unit < n / size; unit++) {
		double sum = 0;

		for (size_t i = 0; i < size; i++)
			sum += log_ratios[unit * size + i];
		/* The sum is not finite if one of them is not. */
		if (isfinite(sum))
			values[known++] = sum / (double)size;
	}
	return known;
}

static enum verdict_kind kind_of(double low, double high, bool inside)
{
	if (high < 0)
		return VERDICT_FASTER;
	if (low > 0)
		return VERDICT_SLOWER;
	return inside ? VERDICT_SAME : VERDICT_CANNOT_TELL;
}

/* How many units might tell a difference, or that there is none that matters: the smaller number.
 * limit: a log ratio nearer to 0 does not matter. */
static size_t needed(double estimate, double width, double limit, size_t n)
{
	const double distance = fabs(estimate);
	size_t units = 0;

	if (distance > 0)
		units = verdict_needed(width, distance, n);
	if (limit > distance) {
		const size_t same = verdict_needed(width, limit - distance, n);

		units = units == 0 || same < units ? same : units;
	}
	return units;
}

void units_judge(const double values[], size_t n, double error, double within, double scratch[],
		 struct units_verdict *verdict)
{
	const double limit = log1p(within);
	double estimate = NAN, low = -INFINITY, high = INFINITY;
	bool known = false;

	if (n > 0)
		known = statistics_signed_rank_interval(values, n, error, scratch, &estimate, &low,
							&high);
	*verdict = (struct units_verdict){
		.inside = -limit < low && high < limit,
		.ratio = exp(estimate),
		.low = exp(low),
		.high = exp(high),
	};
	verdict->kind = kind_of(low, high, verdict->inside);
	if (verdict->kind != VERDICT_CANNOT_TELL)
		return;
	verdict->units_needed =
		known ? needed(estimate, high - low, limit, n) : verdict_fewest(error);
}

static double median_of(double values[], size_t n)
{
	statistics_sort(values, n);
	return statistics_quantile(values, n, 0.5);
}

double units_placement(const double log_ratios[], size_t n, double scratch[])
{
	size_t known = 0;
	double median;

	for (size_t i = 0; i < n; i++)
		if (isfinite(log_ratios[i]))
			scratch[known++] = log_ratios[i];
	if (known < 2)
		return NAN;
	median = median_of(scratch, known);
	for (size_t i = 0; i < known; i++)
		scratch[i] = fabs(scratch[i] - median);
	return expm1(median_of(scratch, known));
}
