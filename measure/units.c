/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "units.h"

#include "statistics.h"

#include <math.h>
#include <stdbool.h>

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
	if (verdict->kind != VERDICT_CANNOT_TELL)
		return;
	if (!known)
		verdict->units_needed = verdict_fewest(error);
	else if (estimate != 0)
		verdict->units_needed = verdict_needed(high - low, fabs(estimate), n);
}
