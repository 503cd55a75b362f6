/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * After: the two functions of by-hand.c, measured with a meter. The program prints what it measured
 * with, how long each function takes, what casts doubt on that, and which function is faster.
 */

#include "works.h"

#include <cpucycles-measure.h>
#include <stdio.h>

static const char *const units[] = {
	[CPUCYCLES_UNIT_CYCLES] = "cycles",
	[CPUCYCLES_UNIT_TICKS] = "ticks",
	[CPUCYCLES_UNIT_NS] = "ns",
};

static const char *const verdicts[] = {
	[CPUCYCLES_CANNOT_TELL] = "no verdict, perhaps as fast",
	[CPUCYCLES_FASTER] = "faster",
	[CPUCYCLES_SLOWER] = "slower",
};

static const struct cpucycles_work works[] = {
	{ .name = "one_sum", .call = one_sum },
	{ .name = "four_sums", .call = four_sums },
};
#define WORKS (sizeof(works) / sizeof(works[0]))

/* Everything that can go wrong comes with a sentence, and mostly with one on what helps. */
static int fail(const struct cpucycles_reason *reason)
{
	fprintf(stderr, "%s; %s\n", reason->what, reason->remedy);
	return 1;
}

/* Each warning is one bit of a set. */
static void print_warnings(const struct cpucycles_meter *meter, size_t i, uint64_t warnings)
{
	/* Each structure begins with its size. A later library then knows which members this
	 * program has. */
	struct cpucycles_reason reason = { .size = sizeof(reason) };

	for (uint64_t bit = 1; bit != 0 && bit <= warnings; bit <<= 1)
		if (cpucycles_meter_warning(meter, i, bit, &reason) == 0)
			printf("warning: %s\n", reason.what);
}

static void print_result(const struct cpucycles_meter *meter, size_t i, const char *unit)
{
	struct cpucycles_result result = { .size = sizeof(result) };

	if (cpucycles_meter_result(meter, i, &result) != 0)
		return;
	printf("%s: median %.1f %s, half of the calls from %.1f to %.1f\n", works[i].name,
	       result.median, unit, result.q1, result.q3);
	print_warnings(meter, i, result.warnings);
}

/* Function i beside the first one. */
static void print_verdict(const struct cpucycles_meter *meter, size_t i)
{
	struct cpucycles_verdict verdict = { .size = sizeof(verdict) };

	if (cpucycles_meter_verdict(meter, i, &verdict) != 0)
		return;
	printf("%s beside %s: %s, it takes %.3f times as long (%.3f to %.3f)\n", works[i].name,
	       works[0].name, verdicts[verdict.verdict], verdict.ratio, verdict.low, verdict.high);
}

int main(void)
{
	struct cpucycles_reason reason = { .size = sizeof(reason) };
	struct cpucycles_counter_info info = { .size = sizeof(info) };
	struct cpucycles_meter *meter;

	/* NULL: all options have their defaults, which are for two functions and any counter. */
	if (cpucycles_meter_open(&meter, NULL, &reason) != 0)
		return fail(&reason);
	/* NULL: the default plan, a tenth of a second at most. */
	if (cpucycles_meter_run(meter, works, WORKS, NULL, &reason) != 0) {
		cpucycles_meter_close(meter);
		return fail(&reason);
	}
	cpucycles_meter_info(meter, &info);
	printf("counter: %s, which moves in steps of %.4g %s\n", info.counter, info.step,
	       units[info.unit]);
	for (size_t i = 0; i < WORKS; i++)
		print_result(meter, i, units[info.unit]);
	for (size_t i = 1; i < WORKS; i++)
		print_verdict(meter, i);
	cpucycles_meter_close(meter);
	return 0;
}
