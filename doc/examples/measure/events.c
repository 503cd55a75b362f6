/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Why does a function take so long? The functions of works.c are measured with a meter that counts
 * events, too: how many instructions and page faults are in a call. An event that this machine does
 * not count has a reason and no number.
 */

#include "works.h"

#include <cpucycles-measure.h>
#include <stdio.h>

static const char *const events[] = { "instructions", "page-faults" };
#define EVENTS (sizeof(events) / sizeof(events[0]))

static const struct cpucycles_work works[] = {
	CPUCYCLES_WORK("one_sum", one_sum, NULL),
	CPUCYCLES_WORK("four_sums", four_sums, NULL),
};
#define WORKS (sizeof(works) / sizeof(works[0]))

static int fail(const struct cpucycles_reason *reason)
{
	fprintf(stderr, "%s; %s\n", reason->what, reason->remedy);
	return 1;
}

/* How often one event happens in a call of each function, or why nobody knows. */
static void print_event(const struct cpucycles_meter *meter, size_t event)
{
	char what[256] = "", remedy[256] = "";
	struct cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);
	struct cpucycles_event_info info = CPUCYCLES_EVENT_INFO_INITIALIZER;
	double per_call;

	if (cpucycles_meter_event_info(meter, event, &info, &reason) != 0) {
		printf("%s: not counted: %s\n", events[event], reason.what);
		return;
	}
	for (size_t i = 0; i < WORKS; i++)
		if (cpucycles_meter_event(meter, i, event, &per_call) == 0)
			printf("%s: %s: %.3f per call\n", info.name, works[i].name, per_call);
}

int main(void)
{
	const struct cpucycles_meter_options options = {
		.size = sizeof(options),
		.events = "instructions,page-faults",
	};
	char what[256] = "", remedy[256] = "";
	struct cpucycles_reason reason = CPUCYCLES_REASON(what, remedy);
	struct cpucycles_meter *meter;

	if (cpucycles_meter_open(&meter, &options, &reason) != 0)
		return fail(&reason);
	if (cpucycles_meter_run(meter, works, WORKS, NULL, &reason) != 0) {
		cpucycles_meter_close(meter);
		return fail(&reason);
	}
	for (size_t event = 0; event < EVENTS; event++)
		print_event(meter, event);
	cpucycles_meter_close(meter);
	return 0;
}
