/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "verdict.h"

#include "statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the interval of the control, whose outer end is the floor. */
#define CONTROL_ERROR 0.05

/* A later look has a smaller share of the error, so its interval is this much wider. */
#define LATER_WIDER 1.25

double verdict_share(double error, unsigned look)
{
	return look ? error / ((double)look * ((double)look + 1)) : 0;
}

/* The smallest number of blocks that have an interval. No double is above 0 and below 2 to the
 * power of -1074. */
static size_t fewest(double error)
{
	for (size_t n = 1; n <= 1075; n++)
		if (statistics_median_rank(n, error) > 0)
			return n;
	return SIZE_MAX;
}

size_t verdict_due(double error, unsigned look)
{
	size_t n = fewest(verdict_share(error, 1));

	for (unsigned i = 1; i < look && n < SIZE_MAX; i++)
		n = n < SIZE_MAX / 2 ? n + n / 2 : SIZE_MAX;
	return n;
}

/* The median of some log ratios, and the interval that holds the true one. */
struct middle {
	double median, low, high;
};

/* As far as nothing is known. */
static const struct middle unknown = { NAN, -INFINITY, INFINITY };

static bool is_value(double value)
{
	return value > 0 && isfinite(value);
}

/* The logarithms are subtracted, because that gives exactly the opposite if a and b change places,
 * which a quotient may not. They are stored before, because an x87 register has more digits than a
 * double: of two equal logarithms, the one in a register would be the larger one. */
static double log_ratio(double a, double b)
{
	const volatile double log_a = log(a), log_b = log(b);

	return log_a - log_b;
}

/*
 * Of the log ratios of a to b.
 *
 * A block without a value on either side counts as one below and one above all others: it makes
 * the interval wider.
 */
static struct middle middle_of(const double a[], const double b[], size_t n, double error,
			       double ratios[])
{
	const size_t rank = statistics_median_rank(n, error);
	struct middle middle = unknown;
	size_t valid = 0, bad;

	for (size_t i = 0; i < n; i++)
		if (is_value(a[i]) && is_value(b[i]))
			ratios[valid++] = log_ratio(a[i], b[i]);
	if (valid == 0)
		return unknown;
	statistics_sort(ratios, valid);
	middle.median = statistics_quantile(ratios, valid, 0.5);
	bad = n - valid;
	if (rank <= bad)
		return middle;
	middle.low = ratios[rank - bad - 1];
	middle.high = ratios[valid - (rank - bad)];
	return middle;
}

/* How far the control is from the first function at most. The sum makes 0 of a negative 0. */
static double outer(const struct middle *control)
{
	return fmax(-control->low, control->high) + 0;
}

/* Whether the control is shown to differ from the first function. */
static bool is_biased(const struct middle *control)
{
	return control->low > 0 || control->high < 0;
}

/*
 * The width of an interval falls with the square root of the number of blocks. So the number is
 * asked for at which the two intervals have shrunk enough. A control that is not shown to differ is
 * taken for the first function itself.
 */
static size_t needed(const struct middle *work, const struct middle *control, size_t n,
		     double error)
{
	const size_t least = fewest(error);
	const double floor = is_biased(control) ? fabs(control->median) : 0;
	const double widths =
		LATER_WIDER * ((work->high - work->low) + (control->high - control->low)) / 2;
	const double margin = fabs(work->median) - floor;
	double blocks;

	if (n < least)
		return least;
	if (!isfinite(widths) || !(margin > 0) ||
	    (is_biased(control) && fabs(work->median) <= outer(control)))
		return 0;
	blocks = ceil((double)n * (widths / margin) * (widths / margin));
	if (!(blocks < VERDICT_BLOCKS_MAX))
		return VERDICT_BLOCKS_MAX;
	return blocks > (double)n ? (size_t)blocks : n + 1;
}

void verdict_judge(const double first[], const double work[], const double control[], size_t n,
		   double error, double scratch[], struct verdict *verdict)
{
	const struct middle ratio = middle_of(work, first, n, error, scratch);
	const struct middle self =
		middle_of(control, first, n, fmax(error, CONTROL_ERROR), scratch);
	const double floor = outer(&self);

	verdict->kind = VERDICT_CANNOT_TELL;
	if (ratio.high < -floor)
		verdict->kind = VERDICT_FASTER;
	else if (ratio.low > floor)
		verdict->kind = VERDICT_SLOWER;
	verdict->ratio = exp(ratio.median);
	verdict->low = exp(ratio.low);
	verdict->high = exp(ratio.high);
	verdict->floor = expm1(floor);
	verdict->blocks_needed = 0;
	if (verdict->kind == VERDICT_CANNOT_TELL)
		verdict->blocks_needed = needed(&ratio, &self, n, error);
}
