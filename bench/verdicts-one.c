/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "verdicts.h"

#include "alike.h"
#include "cpucycles-measure.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS UINT64_C(1000000)

static const char *const answers[] = {
	[CPUCYCLES_VERDICT_CANNOT_TELL] = "cannot tell",
	[CPUCYCLES_VERDICT_FASTER] = "faster",
	[CPUCYCLES_VERDICT_SLOWER] = "slower",
};

static int compare(struct cpucycles_meter *meter, const struct cpucycles_work works[2],
		   const struct cpucycles_plan *plan, struct cpucycles_reason *reason)
{
	struct cpucycles_verdict verdict = { .size = sizeof verdict };
	int error = cpucycles_meter_run(meter, works, 2, plan, reason);

	if (error == -ERANGE) {
		printf("too fast: %s\n", reason->what);
		return 0;
	}
	if (!error)
		error = cpucycles_meter_verdict(meter, 1, &verdict);
	if (!error)
		puts(answers[verdict.verdict]);
	return error;
}

int verdicts_one(char *const words[4])
{
	const struct cpucycles_work works[] = {
		CPUCYCLES_WORK(words[0], alike_named(words[0]), NULL),
		CPUCYCLES_WORK(words[1], alike_named(words[1]), NULL)
	};
	const struct cpucycles_plan plan = { .size = sizeof plan,
					     .budget_ns = strtoull(words[2], NULL, 10) * MS,
					     .seed = strtoull(words[3], NULL, 10) };
	struct cpucycles_meter_options options = { .size = sizeof options };
	char what[256] = "", remedy[256] = "";
	struct cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);
	struct cpucycles_meter *meter = NULL;
	int error = works[0].call && works[1].call ? 0 : -EINVAL;

	alike_prepare();
	if (!error)
		error = cpucycles_meter_open(&meter, &options, &reason);
	if (!error)
		error = compare(meter, works, &plan, &reason);
	cpucycles_meter_close(meter);
	if (error)
		fprintf(stderr, "verdicts: %s with %s: %s%s%s\n", words[0], words[1],
			strerror(-error), reason.what[0] ? ": " : "", reason.what);
	return error || fflush(stdout);
}
