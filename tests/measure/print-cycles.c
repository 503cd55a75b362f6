/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Where the core cycles of some work come from, or why there are none, as core-cycles.sh expects
 * it: a number of the header, and whether there are any. */

#include "config.h"

#include "chain.h"
#include "cpucycles-measure.h"
#include "reasons.h"

#include <math.h>

static void work(void *unused)
{
	(void)unused;
	chain_run(3);
}

int main(void)
{
	const struct cpucycles_work works[] = { CPUCYCLES_WORK("work", work, NULL) };
	REASON(reason);
	struct cpucycles_result result = CPUCYCLES_RESULT_INITIALIZER;
	struct cpucycles_meter *meter;

	if (cpucycles_meter_open(&meter, NULL, &reason) ||
	    cpucycles_meter_run(meter, works, 1, NULL, &reason) ||
	    cpucycles_meter_result(meter, 0, &result)) {
		printf("%s\n", reason.what);
		return 1;
	}
	cpucycles_meter_close(meter);
	printf("%d %s\n", result.cycles_from, isnan(result.cycles) ? "none" : "some");
	return 0;
}
