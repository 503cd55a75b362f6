/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "replicates.h"

#include "statistics.h"

#include <math.h>
#include <stdbool.h>

size_t replicates_values(const double log_ratios[], size_t n, size_t size, double values[])
{
	size_t known = 0;

	for (size_t replicate = 0; replicate < n / size; replicate++) {
		double sum = 0;

		for (size_t i = 0; i < size; i++)
			sum += log_ratios[replicate * size + i];
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

/* The interval of this alpha tells how far the values are apart. That of a look's share
 * of alpha does not: with few replicates, it goes from the smallest value to the largest. */
#define SPREAD_ALPHA 0.05

/* It has no width, but for rounding, if most values are the same: below this part of the other. */
#define NO_WIDTH 1e-6

/* A later look, which has all the replicates that are needed, has a share of alpha that is
 * smaller by about this factor. */
#define LATER_SHARE 4

/* How many standard deviations a normal value is away from its mean with this chance. */
static double deviations(double chance)
{
	double low = 0, high = 40;

	for (int i = 0; i < 50; i++) {
		const double middle = (low + high) / 2;

		if (erfc(middle / sqrt(2)) > chance)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/* Half of the width that the interval of a later look would have with as many replicates as now.
 * half_now: half of the width at this look. */
static double half_of_later(const double values[], size_t n, double alpha, double half_now,
			    double scratch[])
{
	double estimate, low, high;
	const bool known = statistics_signed_rank_interval(values, n, SPREAD_ALPHA, scratch,
							   &estimate, &low, &high);

	if (!known || !((high - low) / 2 > NO_WIDTH * half_now))
		return half_now;
	return (high - low) / 2 * deviations(alpha / LATER_SHARE) / deviations(SPREAD_ALPHA);
}

static bool is_seen(const double values[], size_t n, double scratch[])
{
	double estimate, low, high;

	return statistics_signed_rank_interval(values, n, VERDICT_SEEN_ERROR, scratch, &estimate,
					       &low, &high) &&
	       (low > 0 || high < 0);
}

/* The largest of 1 %, 0.5 %, 0.2 %, 0.1 % and so on that these replicates have not told. */
static double size_untold(double half)
{
	static const double parts[] = { 1, 0.5, 0.2 };
	double size = 0.01;

	for (size_t i = 1; log1p(size) >= half; i++)
		size = parts[i % 3] * pow(10, -2 - (double)(i / 3));
	return size;
}

/* Of equal functions, the interval lies inside of `within` when half of its width is this part of
 * it, mostly: the middle is away from 0, too. */
#define SAME_PART 0.7

/* How many replicates a stated difference would take depends on how far the replicates are apart,
 * which they show. What the true difference is, they do not show: noise that has moved the estimate
 * would move a number that were made from it as much. */
static void advise(const double values[], size_t n, double alpha, double within, double scratch[],
		   struct verdict *verdict)
{
	const double half_now = log(verdict->high / verdict->low) / 2;
	const double half = half_of_later(values, n, alpha, half_now, scratch);
	const double distance = fabs(log(verdict->ratio));
	double margin = SAME_PART * log1p(within);

	if (!(half > 0))
		return;
	verdict->difference = within;
	if (!(within > 0)) {
		verdict->difference = size_untold(half);
		margin = log1p(verdict->difference);
	}
	if (distance > log1p(verdict->difference) && is_seen(values, n, scratch)) {
		verdict->difference = expm1(distance);
		margin = distance;
	}
	verdict->needed = verdict_more(half, margin, n);
}

void replicates_judge(const double values[], size_t n, double alpha, double within,
		      double scratch[], struct verdict *verdict)
{
	const double limit = log1p(within);
	double estimate = NAN, low = -INFINITY, high = INFINITY;
	bool known = false;

	if (n > 0)
		known = statistics_signed_rank_interval(values, n, alpha, scratch, &estimate, &low,
							&high);
	*verdict = (struct verdict){
		.within = within,
		.inside = -limit < low && high < limit,
		.ratio = exp(estimate),
		.low = exp(low),
		.high = exp(high),
	};
	verdict->kind = kind_of(low, high, verdict->inside);
	if (verdict->kind != VERDICT_CANNOT_TELL)
		return;
	if (!known)
		verdict->needed = verdict_fewest(alpha);
	else
		advise(values, n, alpha, within, scratch, verdict);
}

bool replicates_centre(double figures[], size_t n, size_t size, double scratch[], double *centre,
		       double *low, double *high)
{
	size_t known;

	for (size_t p = 0; p < n; p++) {
		if (figures[p] <= 0)
			return false;
		figures[p] = log(figures[p]);
	}
	known = replicates_values(figures, n, size, figures);
	if (known == 0 || 2 * known < n / size ||
	    !statistics_signed_rank_interval(figures, known, SPREAD_ALPHA, scratch, centre, low,
					     high))
		return false;
	*centre = exp(*centre);
	*low = exp(*low);
	*high = exp(*high);
	return true;
}

double replicates_placement(const double log_ratios[], size_t n, double scratch[])
{
	size_t known = 0;
	double median;

	for (size_t i = 0; i < n; i++)
		if (isfinite(log_ratios[i]))
			scratch[known++] = log_ratios[i];
	if (known < 2)
		return NAN;
	median = statistics_median(scratch, known);
	for (size_t i = 0; i < known; i++)
		scratch[i] = fabs(scratch[i] - median);
	return expm1(statistics_median(scratch, known));
}
