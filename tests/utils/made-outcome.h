/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A made outcome of cpucycles-measure, which the tests of its rooms share. */

#ifndef CPUCYCLES_MADE_OUTCOME_H
#define CPUCYCLES_MADE_OUTCOME_H

#include "measure/files/target.h"
#include "measure/result/outcome.h"
#include "unit.h"

#include <errno.h>
#include <math.h>

static struct target targets[3];
static struct outcome_function functions[2];
static struct outcome outcome;

/* Two functions, the second of which is slower. */
UNIT_UNUSED static int begin(UNIT_UNUSED void **state)
{
	assert_int_equal(target_parse("./f.so:a", targets, 0), 0);
	assert_int_equal(target_parse("./f.so:b", targets, 1), 0);
	assert_int_equal(target_parse("./f.so:a", targets, 2), 0);
	memset(functions, 0, sizeof functions);
	functions[0].target = &targets[0];
	functions[0].measured.result = (struct cpucycles_result){
		.min = 9,
		.q1 = 9.5,
		.median = 10.25,
		.q3 = 100.04,
		.low = -INFINITY,
		.high = INFINITY,
		.iqm = 123456.4,
		.samples = 4,
		.iterations = 1,
	};
	functions[0].measured.mean_low = -INFINITY;
	functions[0].measured.mean_high = INFINITY;
	functions[1] = functions[0];
	functions[1].target = &targets[1];
	functions[1].measured.compared = true;
	functions[1].measured.verdict = (struct verdict){
		.kind = VERDICT_SLOWER,
		.ratio = 2,
		.low = 1.75,
		.high = 2.25,
	};
	outcome = (struct outcome){
		.targets = targets,
		.targets_count = 3,
		.plan = { .seed = 7 },
		.opened = true,
		.info = { .counter = "made",
			  .unit = CPUCYCLES_UNIT_TICKS,
			  .resolution = 2,
			  .hz = 1000 },
		.functions = functions,
		.count = 2,
		.alpha = 0.005,
		.layouts = 1,
		.elapsed_ns = 100000000,
	};
	return 0;
}

UNIT_UNUSED static int end(UNIT_UNUSED void **state)
{
	target_free(targets, 3);
	return 0;
}

/* What the processes found, put together. */
UNIT_UNUSED static void settle(size_t processes, const double medians[], const double log_ratios[])
{
	outcome.layouts = processes;
	outcome.looks = 0;
	outcome.looked = 0;
	outcome.decided = false;
	functions[1].reached_at = 0;
	for (size_t p = 0; p < processes; p++) {
		functions[0].results[p] = functions[1].results[p] = (struct cpucycles_result){
			.min = medians[p] - 3,
			.q1 = medians[p] - 1,
			.median = medians[p],
			.q3 = medians[p] + 2,
			.iqm = medians[p] + 0.5,
			.iterations = p == 1 ? 3 : 2,
			.warnings = p == 2 ? CPUCYCLES_WARNING_MOVED : 0,
		};
		functions[1].log_ratios[p] = log_ratios[p];
	}
}

UNIT_UNUSED static struct outcome_event event_of(const char *name, bool user, bool kernel)
{
	return (struct outcome_event){
		.info = { .name = name, .user = user, .kernel = kernel },
	};
}

/* Instructions, misses, and an event that this machine lacks. */
UNIT_UNUSED static void add_events(void)
{
	outcome.events_count = 3;
	outcome.events[0] = event_of("instructions", true, false);
	outcome.events[0].kind = EVENTS_INSTRUCTIONS;
	outcome.events[1] = event_of("cache-misses", true, false);
	outcome.events[1].kind = EVENTS_MISSES;
	outcome.events[2] = event_of("branches", true, false);
	outcome.events[2].error = -ENOENT;
	strcpy(outcome.events[2].reason.what, "branches: there is none");
	strcpy(outcome.events[2].reason.remedy, "look elsewhere");
	outcome.events[OUTCOME_CYCLES] = event_of("cpu-cycles", true, false);
	for (size_t i = 0; i < 2; i++) {
		functions[i].events[0] = 3000;
		functions[i].events[1] = 6;
		functions[i].events[2] = NAN;
		functions[i].events[OUTCOME_CYCLES] = 2000;
		functions[i].events[OUTCOME_TICKS] = NAN;
	}
}

UNIT_UNUSED static double per_cycle(void)
{
	return outcome_instructions_per_cycle(&outcome, &functions[0]);
}

#endif
