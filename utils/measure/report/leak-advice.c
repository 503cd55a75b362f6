/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "leak-advice.h"
#include "leak.h"
#include "leak-judge.h"
#include "letters.h"
#include "number.h"

#include <inttypes.h>
#include <math.h>

#define add(text, ...) letters_add(text, LEAK_TEXT, __VA_ARGS__)

/* A test that takes longer is no advice. */
#define LONG_SECONDS 86400.0

/* Calls of each group that show a large difference, and calls that tell how many would show a small
 * one. */
#define CALLS_LARGE 200
#define CALLS_LEARN 5000

/* The calls of each group: the mean of both. */
static double each_of(const struct leak_report *report)
{
	return ((double)report->result.calls[0] + (double)report->result.calls[1]) / 2;
}

/* How long these calls of each group take, at the speed of this test. */
static double seconds_for(const struct leak_report *report, double calls)
{
	return (double)report->took_ns * 1e-9 * calls / each_of(report);
}

/* The options that give these calls of each group. The time ends a test, too. */
static void add_options(const struct leak_report *report, uint64_t calls, char text[LEAK_TEXT])
{
	const struct cpucycles_plan *const plan = &report->outcome->plan;
	const double budget = (double)(plan->budget_ns ? plan->budget_ns : LEAK_BUDGET_NS) * 1e-9;
	const double seconds = ceil(seconds_for(report, (double)calls));
	const bool is_counted = plan->samples > 0 && plan->samples < 2 * calls;
	const bool can_be_counted = is_counted && 2 * calls <= OUTCOME_COUNT_MOST;

	if (can_be_counted)
		add(text, "-n %" PRIu64, 2 * calls);
	if (!can_be_counted || seconds > budget)
		add(text, "%s-t %s", can_be_counted ? " " : "", number_decimals(0, seconds).text);
	if (is_counted && !can_be_counted)
		add(text, " without -n");
}

/* Twice as much as the widest interval reaches: these calls might have shown that. */
static void add_larger_above(const struct leak_report *report, char text[LEAK_TEXT])
{
	const double above = 2 * leak_reach(report);
	char value[FIGURES_NUMBER];

	add(text, "give a larger --above");
	if (above > report->result.threshold && isfinite(above))
		add(text, ", such as %s", leak_bound(above, value));
}

static uint64_t rounded_up(uint64_t number)
{
	const uint64_t unit = leak_unit(number);

	return (number + unit - 1) / unit * unit;
}

/* Whether each call gives the same count, which says nothing of a difference below a step. */
static bool is_too_coarse(const struct leak_report *report)
{
	const struct cpucycles_leak_findings *const result = &report->result;
	const double step = leak_step(report);

	for (size_t i = 0; i < GROUPS_DECILES; i++)
		if (leak_judge_is_coarse(result->threshold, step, &report->quantiles.deciles[i]))
			return true;
	return false;
}

/* The test has found no number of calls that might tell. */
static void add_no_number(const struct leak_report *report, char text[LEAK_TEXT])
{
	const double each = each_of(report);
	char number[LEAK_GROUPED];

	if (is_too_coarse(report)) {
		add(text, "No number of calls tells, because each gives the same count: give a "
			  "larger --above.");
		return;
	}
	if (report->moved && !isfinite(report->result.beyond_high)) {
		add(text, "Test again while the machine has less to do. If the answer comes again, "
			  "let each call do the same work.");
		return;
	}
	if (each >= CALLS_LEARN || seconds_for(report, CALLS_LEARN) > LONG_SECONDS) {
		add(text, "More calls may tell: give more time by -t, or more calls by -n.");
		return;
	}
	add(text, "About %s calls of each group show how many would tell: ",
	    leak_grouped(CALLS_LEARN, number));
	add_options(report, CALLS_LEARN, text);
	add(text, ".");
	if (each >= CALLS_LARGE || leak_is_shown(report))
		return;
	add(text, " A large difference may show after %s: ", leak_grouped(CALLS_LARGE, number));
	add_options(report, CALLS_LARGE, text);
	add(text, ".");
}

static void add_more_calls(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_findings *const result = &report->result;
	const double each = each_of(report);
	const uint64_t calls = rounded_up(result->calls_needed);
	char number[LEAK_GROUPED];

	if (!(each > 0)) {
		add(text, "More calls may tell: give more time by -t, or more calls by -n.");
		return;
	}
	if (result->calls_needed == 0) {
		add_no_number(report, text);
		return;
	}
	if (seconds_for(report, (double)result->calls_needed) > LONG_SECONDS) {
		add(text, "To tell would take more than a day: ");
		add_larger_above(report, text);
		add(text, ". A leak may show earlier.");
		return;
	}
	add(text, "About %s calls of each group might tell", leak_grouped(calls, number));
	add(text, ", in the place of %s: ", leak_grouped((uint64_t)each, number));
	add_options(report, calls, text);
	add(text, ". A leak may show earlier.");
}

static bool most_are_void(const struct cpucycles_leak_findings *result)
{
	return result->discarded[0] > result->calls[0] || result->discarded[1] > result->calls[1];
}

void leak_advice(const struct leak_report *report, char text[LEAK_TEXT])
{
	const double step = leak_step(report);

	text[0] = 0;
	switch (report->result.verdict) {
	case CPUCYCLES_LEAK_NONE_ABOVE:
		add(text, "%s: see cpucycles-leak(7).",
		    report->result.shown_below ?
			    "By --above, that does not matter. Other inputs may show more" :
			    "This is no proof that its time does not depend on its input");
		break;
	case CPUCYCLES_LEAK_CANNOT_TELL:
		if (most_are_void(&report->result))
			add(text, "Most calls are void, because the thread changed its CPU: "
				  "taskset(1) keeps it on one. ");
		add_more_calls(report, text);
		if (step > report->result.threshold)
			add(text,
			    " The counter moves in steps of %s %s, so such a small difference is "
			    "hard to see: -r cycles takes a finer one, which cpucycles-open(8) may "
			    "have to open.",
			    number_digits(4, step).text, leak_time_unit(report));
		break;
	case CPUCYCLES_LEAK_NO_CONTROL:
		add(text, "The harness or the machine is at fault. Test again while the machine "
			  "has less to do: see cpucycles-leak(7).");
		break;
	default:
		add(text, "To find the place in the code: cpucycles-leak(7), Where the leak is.");
		if (report->result.shown_below)
			add(text, " If less than %s %s does not matter: --above %s.",
			    number_digits(4, report->result.threshold).text, leak_time_unit(report),
			    number_digits(4, report->result.threshold).text);
		if (step > leak_reach(report))
			add(text,
			    " The counter moves in steps of %s %s, so the size of the "
			    "difference is rough.",
			    number_digits(4, step).text, leak_time_unit(report));
		break;
	}
}
