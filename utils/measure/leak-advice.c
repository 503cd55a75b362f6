/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the result of a test for leaks means, and what would tell more. */

#include "config.h"

#include "leak.h"
#include "letters.h"
#include "leak-report.h"
#include "number.h"

#include <inttypes.h>
#include <math.h>

#define add(text, ...) letters_add(text, LEAK_TEXT, __VA_ARGS__)

/* A test that takes longer is no advice. */
#define LONG_SECONDS 86400.0

/* How long the test itself took: opening the counter and starting a process come on top. */
static double seconds_of(const struct leak_report *report)
{
	const uint64_t budget = report->outcome->plan.budget_ns;
	const uint64_t elapsed = report->outcome->elapsed_ns;

	return (double)(budget > 0 && budget < elapsed ? budget : elapsed) * 1e-9;
}

/* The options that give so many calls of each group, which is so many times as many. The time
 * ends a test, too. */
static void add_options(const struct leak_report *report, uint64_t calls, double times,
			char text[LEAK_TEXT])
{
	const struct cpucycles_leak_result *const result = &report->result;
	const struct cpucycles_plan *const plan = &report->outcome->plan;
	const double budget = (double)(plan->budget_ns ? plan->budget_ns : LEAK_BUDGET_NS) * 1e-9;
	const double seconds = ceil(seconds_of(report) * times);
	const bool is_counted =
		plan->samples > 0 && result->calls[0] + result->calls[1] >= plan->samples;

	if (is_counted)
		add(text, "-n %" PRIu64, 2 * calls);
	if (!is_counted || seconds > budget)
		add(text, "%s-t %s", is_counted ? " " : "", number_decimals(0, seconds).text);
}

/* Twice as much as the widest interval reaches: these calls might have shown that. */
static void add_larger_above(const struct cpucycles_leak_result *result, char text[LEAK_TEXT])
{
	const double above = 2 * leak_reach(result);
	char value[FIGURES_NUMBER];

	add(text, "give a larger --above");
	if (above > result->above && isfinite(above))
		add(text, ", such as %s", leak_bound(above, value));
}

static uint64_t rounded_up(uint64_t number)
{
	const uint64_t unit = leak_unit(number);

	return (number + unit - 1) / unit * unit;
}

static void add_more_calls(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_result *const result = &report->result;
	const double each = ((double)result->calls[0] + (double)result->calls[1]) / 2;
	const double times = (double)result->calls_needed / each;
	const uint64_t calls = rounded_up(result->calls_needed);
	char number[LEAK_GROUPED];

	if (result->calls_needed == 0) {
		add(text, "No number of calls tells, because each gives the same count: give a "
			  "larger --above.");
		return;
	}
	if (!(each > 0) || times < 1) {
		add(text, "More calls may tell: give more time by -t, or more calls by -n.");
		return;
	}
	if (times * seconds_of(report) > LONG_SECONDS) {
		add(text, "To tell would take more than a day: ");
		add_larger_above(result, text);
		add(text, ". A leak may show earlier.");
		return;
	}
	add(text, "About %s calls of each group might tell", leak_grouped(calls, number));
	add(text, ", in the place of %s: ", leak_grouped((uint64_t)each, number));
	add_options(report, calls, times, text);
	add(text, ". A leak may show earlier.");
}

static bool most_are_void(const struct cpucycles_leak_result *result)
{
	return result->voids[0] > result->calls[0] || result->voids[1] > result->calls[1];
}

void leak_advice(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_counter_info *const info = &report->outcome->info;

	text[0] = 0;
	switch (report->result.verdict) {
	case CPUCYCLES_LEAK_NONE_ABOVE:
		add(text, "This is no proof that its time does not depend on its input: see "
			  "cpucycles-leak(7).");
		break;
	case CPUCYCLES_LEAK_CANNOT_TELL:
		if (most_are_void(&report->result))
			add(text, "Most calls are void, because the thread changed its CPU: "
				  "taskset(1) keeps it on one. ");
		add_more_calls(report, text);
		if (info->step > report->result.above)
			add(text,
			    " The counter moves in steps of %s %s, so such a small difference is "
			    "hard to see: -r cycles takes a finer one, which cpucycles-open(8) may "
			    "have to open.",
			    number_digits(4, info->step).text, outcome_unit(report->outcome));
		break;
	case CPUCYCLES_LEAK_NO_CONTROL:
		add(text, "Test again while the machine has less to do: see cpucycles-leak(7).");
		break;
	default:
		if (info->step > leak_reach(&report->result))
			add(text,
			    "The counter moves in steps of %s %s, so the size of the difference is "
			    "rough.",
			    number_digits(4, info->step).text, outcome_unit(report->outcome));
		break;
	}
}
