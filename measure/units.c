/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "units.h"

#include "statistics.h"

#include <math.h>
#include <stdbool.h>

/* A later look has a smaller share of the error, so its interval is this much wider. */
#define LATER_WIDER 1.25

/* With which there is an interval of this share of the error. */
static size_t fewest(double error)
{
	const size_t n = verdict_due(2 * error, 1);

	return n < VERDICT_BLOCKS_MAX ? n : VERDICT_BLOCKS_MAX;
}

/* The width of an interval falls with the square root of the number of units. */
static size_t needed(double estimate, double low, double high, size_t n)
{
	const double width = LATER_WIDER * (high - low) / 2;
	double units;

	if (estimate == 0)
		return 0;
	units = ceil((double)n * (width / estimate) * (width / estimate));
	if (!(units < VERDICT_BLOCKS_MAX))
		return VERDICT_BLOCKS_MAX;
	return units > (double)n ? (size_t)units : n + 1;
}

void units_judge(const double log_ratios[], size_t n, double error, double scratch[],
		 struct units_verdict *verdict)
{
	double estimate = NAN, low = -INFINITY, high = INFINITY;
	bool known = false;

	if (n > 0)
		known = statistics_signed_rank_interval(log_ratios, n, error, scratch, &estimate,
							&low, &high);
	*verdict = (struct units_verdict){
		.kind = high < 0 ? VERDICT_FASTER :
			low > 0  ? VERDICT_SLOWER :
				   VERDICT_CANNOT_TELL,
		.ratio = exp(estimate),
		.low = exp(low),
		.high = exp(high),
	};
	if (verdict->kind == VERDICT_CANNOT_TELL)
		verdict->units_needed = known ? needed(estimate, low, high, n) : fewest(error);
}
