/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A program for CI: does the time of these functions depend on their input? Exit status, as that of
 * cpucycles-measure --leak: 0 no difference above what matters, 11 a function leaks, 12 of a
 * function nobody can tell, 1 a test failed, 2 usage error.
 *
 *     ./timing all_bytes scan ladder
 */

#include "functions.h"

#include <cpucycles-measure.h>
#include <stdio.h>

#define LEAKS 11
#define UNKNOWN 12

static const char *const units[] = { "cycles", "ticks", "ns" };

static int fail(const struct cpucycles_reason *reason)
{
	fprintf(stderr, "%s; %s\n", reason->what, reason->remedy);
	return 1;
}

static void call(const unsigned char *input, void *context)
{
	const struct function *function = context;

	function->call(input);
}

static void prepare(int group, unsigned char *input, void *context)
{
	const struct function *function = context;

	function->input(group, input);
}

static int judge(const char *name, const char *unit, const struct cpucycles_leak_findings *result)
{
	switch (result->verdict) {
	case CPUCYCLES_LEAK_FOUND:
		printf("%s: leaks: equal times would differ so in one of %.0f tests at most\n",
		       name, 1 / result->p_value);
		return LEAKS;
	case CPUCYCLES_LEAK_NONE_ABOVE:
		printf("%s: no difference above %g %s\n", name, result->threshold, unit);
		return 0;
	case CPUCYCLES_LEAK_NO_CONTROL:
		printf("%s: no verdict: equal inputs differ, too\n", name);
		return UNKNOWN;
	default:
		printf("%s: cannot tell\n", name);
		return UNKNOWN;
	}
}

static int test(struct cpucycles_meter *meter, const struct function *function)
{
	const struct cpucycles_leak leak = {
		.size = sizeof(leak),
		.name = function->name,
		.call = call,
		.prepare = function->input ? prepare : NULL,
		.context = (void *)(uintptr_t)function,
		.bytes = *function->bytes,
	};
	const struct cpucycles_plan plan = { .size = sizeof(plan), .budget_ns = 1000000000 };
	struct cpucycles_leak_findings result = CPUCYCLES_LEAK_FINDINGS_INITIALIZER;
	char what[256] = "", remedy[256] = "";
	struct cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);

	if (cpucycles_leak_run(meter, &leak, &plan, &reason) != 0)
		return fail(&reason);
	if (cpucycles_leak_result(meter, &result) != 0)
		return 1;
	return judge(function->name, units[result.unit], &result);
}

/* A leak is worse than a test that failed, and that is worse than one that cannot tell. */
static int worse(int a, int b)
{
	static const int order[] = { LEAKS, 1, UNKNOWN };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a == order[i] || b == order[i])
			return order[i];
	return 0;
}

int main(int argc, char *argv[])
{
	const struct cpucycles_meter_options options = {
		.size = sizeof(options),
		.need = CPUCYCLES_NEED_CYCLES,
		.flags = CPUCYCLES_METER_NEXT_BEST,
	};
	char what[256] = "", remedy[256] = "";
	struct cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);
	struct cpucycles_meter *meter;
	int status = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: %s FUNCTION...\n", argv[0]);
		return 2;
	}
	for (int i = 1; i < argc; i++) {
		if (function_named(argv[i]) == NULL) {
			fprintf(stderr, "%s: there is no such function\n", argv[i]);
			return 2;
		}
	}
	if (cpucycles_meter_open(&meter, &options, &reason) != 0)
		return fail(&reason);
	for (int i = 1; i < argc; i++)
		status = worse(status, test(meter, function_named(argv[i])));
	cpucycles_meter_close(meter);
	return status;
}
