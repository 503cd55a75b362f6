/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include <cpucycles-measure.h>
#include <stdio.h>
#include <string.h>

static void work(void *context)
{
	volatile unsigned *number = context;

	for (int i = 0; i < 1000; i++)
		*number = *number * 3 + 1;
}

/* Print why the meter failed. */
static int failure(const char *what, int error, const struct cpucycles_reason *reason)
{
	printf("%s: %s (%s)\n", what, strerror(-error), reason->what);
	return 1;
}

/* Measure a loop. No time, or no sample, is a failure. */
int main(void)
{
	struct cpucycles_meter_options options = { .size = sizeof(options) };
	char what[256] = "", remedy[256] = "";
	struct cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);
	struct cpucycles_plan plan = { .size = sizeof(plan), .samples = 1000 };
	struct cpucycles_result result = { .size = sizeof(result) };
	struct cpucycles_meter *meter;
	unsigned number = 1;
	struct cpucycles_work loop = CPUCYCLES_WORK("loop", work, &number);
	int error = cpucycles_meter_open(&meter, &options, &reason);

	if (error)
		return failure("open", error, &reason);
	error = cpucycles_meter_run(meter, &loop, 1, &plan, &reason);
	if (error)
		return failure("run", error, &reason);
	error = cpucycles_meter_result(meter, 0, &result);
	if (error)
		return failure("result", error, &reason);
	printf("median %g of %llu samples\n", result.median, (unsigned long long)result.samples);
	cpucycles_meter_close(meter);
	return !(result.median > 0 && result.samples > 0);
}
