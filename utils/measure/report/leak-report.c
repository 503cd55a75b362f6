/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "leak-report.h"
#include "leak.h"
#include "leak-judge.h"
#include "letters.h"
#include "number.h"
#include "verdict.h"

#include <inttypes.h>
#include <math.h>

#define add(text, ...) letters_add(text, LEAK_TEXT, __VA_ARGS__)

/* Chances below 1 in TESTS_MOST are not distinguished. */
#define TESTS_MOST 1e9

/* Smaller shares of calls are not distinguished. */
#define LEAST_PERCENT 0.01

/* A test that takes longer is no advice. */
#define LONG_SECONDS 86400.0

/* Calls of each group that show a large difference, and calls that tell how many would show a small
 * one. */
#define CALLS_LARGE 200
#define CALLS_LEARN 5000

enum outcome_status leak_status(const struct leak_report *report)
{
	const int verdict = report->outcome->leak.result.verdict;

	return verdict == CPUCYCLES_LEAK_FOUND      ? OUTCOME_ALARM :
	       verdict == CPUCYCLES_LEAK_NONE_ABOVE ? OUTCOME_OK :
						      OUTCOME_UNDECIDED;
}

const char *leak_word(const struct leak_report *report)
{
	static const char *const words[] = {
		[CPUCYCLES_LEAK_CANNOT_TELL] = "cannot tell",
		[CPUCYCLES_LEAK_FOUND] = "leaks",
		[CPUCYCLES_LEAK_NONE_ABOVE] = "no difference above",
		[CPUCYCLES_LEAK_NO_CONTROL] = "no verdict",
	};

	return words[report->outcome->leak.result.verdict];
}

bool leak_is_seen(const struct groups_interval *d)
{
	return d->group0 != 0 || d->difference != 0 || isfinite(d->high - d->low);
}

const char *leak_group(const struct leak_report *report, int group)
{
	static const char *const random[] = { "the fixed input", "a random input" };
	static const char *const pairs[] = { "the first input", "the second input" };
	static const char *const prepared[] = { "an input of group 0", "an input of group 1" };

	if (report->outcome->leak.prepared)
		return prepared[group];
	return (report->flags & CPUCYCLES_LEAK_PAIRS ? pairs : random)[group];
}

const char *leak_time_unit(const struct leak_report *report)
{
	return report->outcome->leak.result.units_per_cycle > 0 ? "cycles" :
								  outcome_unit(report->outcome);
}

double leak_step(const struct leak_report *report)
{
	const double units = report->outcome->leak.result.units_per_cycle;

	return report->outcome->info.resolution / (units > 0 ? units : 1);
}

/* Numbers */

/* Room for a number with commas. */
#define GROUPED 32

/* With commas, such as 400,000. */
static const char *grouped(uint64_t number, char text[GROUPED])
{
	char digits[GROUPED];
	const size_t n = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number);
	char *to = text;

	for (size_t i = 0; i < n; i++) {
		if (i > 0 && (n - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return text;
}

/* The value of the second digit of a number. More digits would claim more than is known. */
static uint64_t second_digit(uint64_t number)
{
	uint64_t unit = 1;

	for (uint64_t rest = number; rest >= 100; rest /= 10)
		unit *= 10;
	return unit;
}

static uint64_t rounded_down(double number)
{
	const uint64_t whole = (uint64_t)number, unit = second_digit(whole);

	return whole / unit * unit;
}

static const char *number(double value, const struct groups_interval *d, char text[FIGURES_NUMBER])
{
	return figures_number(value, (d->high - d->low) / 2, text);
}

/* What --above says, or stands for it. */
static struct number limit_of(const struct leak_report *report)
{
	const double above = report->outcome->leak.result.threshold;

	return above < 10000 ? number_digits(4, above) : number_decimals(0, above);
}

/* How far from 0 the interval reaches. */
static double reach_of(const struct groups_interval *d)
{
	return fmax(fabs(d->low), fabs(d->high));
}

/* A bound, with two or three digits. */
static const char *bound(double value, char text[FIGURES_NUMBER])
{
	return figures_number(value, value / 10, text);
}

/* The decile whose interval reaches the farthest. */
static size_t widest(const struct leak_report *report)
{
	size_t most = 0;

	for (size_t i = 1; i < GROUPS_DECILES; i++)
		if (reach_of(&report->outcome->leak.quantiles.deciles[i]) >
		    reach_of(&report->outcome->leak.quantiles.deciles[most]))
			most = i;
	return most;
}

/* How far from 0 the interval of a decile reaches, at most. */
static double widest_reach(const struct leak_report *report)
{
	return reach_of(&report->outcome->leak.quantiles.deciles[widest(report)]);
}

/* Sentences */

/* How seldom the answer comes by chance, at most. */
static void add_chance(double chance, char text[LEAK_TEXT])
{
	const double tests = chance > 0 ? fmin(1 / chance, TESTS_MOST) : TESTS_MOST;
	char number[GROUPED];

	add(text, ". By chance: at most 1 in %s.", grouped(rounded_down(tests), number));
}

static void add_place(int quantile, char text[LEAK_TEXT])
{
	if (quantile == 50)
		add(text, "at the median");
	else
		add(text, "at the quantile of %d %%", quantile);
}

static bool is_decile(int quantile)
{
	return quantile >= 10 && quantile <= 90;
}

/* How many calls of each group are among the fastest or the slowest ones. */
static void add_end(const struct groups_interval *end, const char *which, char text[LEAK_TEXT])
{
	const struct groups_interval d = { 0, 0, 100 * end->low, 100 * end->high };
	char first[FIGURES_NUMBER], second[FIGURES_NUMBER];

	add(text, "%s %% of the calls of group 1 are among the %s 1 %%, and %s %% of group 0",
	    number(100 * fmax(0, end->group0 + end->difference), &d, second), which,
	    number(100 * fmax(0, end->group0), &d, first));
}

/* The difference where it is the surest, of the group that takes longer. */
static void add_difference(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct outcome_leak *const leak = &report->outcome->leak;
	const struct cpucycles_leak_findings *const result = &leak->result;
	const struct groups_interval *d;
	char value[FIGURES_NUMBER], whole[FIGURES_NUMBER];
	double longer;

	if (!is_decile(result->surest)) {
		add_end(result->surest > 90 ? &leak->quantiles.tail : &leak->quantiles.head,
			result->surest > 90 ? "slowest" : "fastest", text);
		return;
	}
	d = &leak->quantiles.deciles[result->surest / 10 - 1];
	longer = fmax(d->group0, d->group0 + d->difference);
	add(text, "%s %s ", number(fabs(d->difference), d, value), leak_time_unit(report));
	/* A call that is shorter than the error of the overhead seems to take less than nothing.
	 * The difference is then more than the longer call, which is told unless it is far less. */
	if (longer >= fabs(d->difference) / 2)
		add(text, "of %s ", bound(fmax(longer, fabs(d->difference)), whole));
	add_place(result->surest, text);
	if (isfinite(reach_of(d)))
		add(text, ", at most %s", number(reach_of(d), d, value));
}

/* Some calls differ by more than what matters, or may: how many. */
static void add_beyond(const struct leak_report *report, double part, const char *verb,
		       char text[LEAK_TEXT])
{
	char percent[FIGURES_NUMBER];

	add(text, "up to %s %% of the calls %s by more than %s %s",
	    bound(fmax(LEAST_PERCENT, 100 * part), percent), verb, limit_of(report).text,
	    leak_time_unit(report));
}

static void add_found(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_findings *const result = &report->outcome->leak.result;

	add(text, "%s leaks: ", report->outcome->targets->function);
	add_difference(report, text);
	if (is_decile(result->surest) && !result->shown_below && isfinite(result->beyond_high) &&
	    widest_reach(report) < result->threshold) {
		add(text, ", but ");
		add_beyond(report, result->beyond_high, "differ", text);
	}
	add_chance(result->p_value, text);
}

/* The error of one test. */
static double error_of(const struct leak_report *report)
{
	const double error = report->outcome->plan.alpha;

	return error > 0 ? error : VERDICT_ALPHA;
}

static void add_none(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_findings *const result = &report->outcome->leak.result;
	const char *const unit = leak_time_unit(report);
	char value[FIGURES_NUMBER];

	if (result->shown_below) {
		add(text, "%s leaks, by less than %s %s: ", report->outcome->targets->function,
		    limit_of(report).text, unit);
		add_difference(report, text);
	} else {
		add(text, "No difference above %s %s in %s: at most %s", limit_of(report).text,
		    unit, report->outcome->targets->function, bound(widest_reach(report), value));
		add(text, " of %s",
		    bound(report->outcome->leak.quantiles.deciles[4].group0, value));
	}
	add(text, "; ");
	add_beyond(report, result->beyond_most, "differ", text);
	add_chance(result->shown_below ? result->p_value : error_of(report), text);
}

/* Whether a difference is shown, however large it is. */
static bool is_shown(const struct leak_report *report)
{
	return report->outcome->leak.result.p_value < error_of(report);
}

static void add_unknown(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_findings *const result = &report->outcome->leak.result;
	const char *const unit = leak_time_unit(report);
	const double reach = widest_reach(report);
	char value[FIGURES_NUMBER];

	add(text, "Cannot tell whether %s leaks", report->outcome->targets->function);
	if (is_shown(report)) {
		add(text, " by more than %s %s: ", limit_of(report).text, unit);
		add_difference(report, text);
		add_chance(result->p_value, text);
	} else if (report->outcome->leak.moved && !isfinite(result->beyond_high)) {
		add(text, ": %s or the work of its calls changed during the test.",
		    result->units_per_cycle > 0 ? "other programs" : "the speed of the core");
	} else if (!isfinite(reach) ||
		   (reach < result->threshold && !isfinite(result->beyond_high))) {
		add(text, ": there were too few calls.");
	} else if (reach >= result->threshold) {
		add(text, ": none is shown, but a difference of %s %s ", bound(reach, value), unit);
		add_place((int)(10 * (widest(report) + 1)), text);
		add(text, " is not excluded. Above %s it would matter.", limit_of(report).text);
	} else {
		add(text, ": none is shown, but ");
		add_beyond(report, result->beyond_high, "may differ", text);
		add(text, ". From %s %% on it would matter.",
		    bound(100 * result->beyond_within, value));
	}
}

static void add_no_control(const struct leak_report *report, char text[LEAK_TEXT])
{
	add(text, "No verdict on %s: equal inputs that were made in both ways differ, too",
	    report->outcome->targets->function);
	add_chance(report->outcome->leak.result.control_p_value, text);
}

void leak_sentence(const struct leak_report *report, char text[LEAK_TEXT])
{
	static void (*const add_what[])(const struct leak_report *, char *) = {
		[CPUCYCLES_LEAK_CANNOT_TELL] = add_unknown,
		[CPUCYCLES_LEAK_FOUND] = add_found,
		[CPUCYCLES_LEAK_NONE_ABOVE] = add_none,
		[CPUCYCLES_LEAK_NO_CONTROL] = add_no_control,
	};

	text[0] = 0;
	add_what[report->outcome->leak.result.verdict](report, text);
}

/* Advice */

/* The calls of each group: the mean of both. */
static double each_of(const struct leak_report *report)
{
	const struct outcome_leak *const leak = &report->outcome->leak;
	return ((double)leak->result.calls[0] + (double)leak->result.calls[1]) / 2;
}

/* How long these calls of each group take, at the speed of this test. */
static double seconds_for(const struct leak_report *report, double calls)
{
	return (double)report->outcome->leak.took_ns * 1e-9 * calls / each_of(report);
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
	const double above = 2 * widest_reach(report);
	char value[FIGURES_NUMBER];

	add(text, "give a larger --above");
	if (above > report->outcome->leak.result.threshold && isfinite(above))
		add(text, ", such as %s", bound(above, value));
}

static uint64_t rounded_up(uint64_t number)
{
	const uint64_t unit = second_digit(number);

	return (number + unit - 1) / unit * unit;
}

/* Whether each call gives the same count, which says nothing of a difference below a step. */
static bool is_too_coarse(const struct leak_report *report)
{
	const struct cpucycles_leak_findings *const result = &report->outcome->leak.result;
	const double step = leak_step(report);

	for (size_t i = 0; i < GROUPS_DECILES; i++)
		if (leak_judge_is_coarse(result->threshold, step,
					 &report->outcome->leak.quantiles.deciles[i]))
			return true;
	return false;
}

/* The test has found no number of calls that might tell. */
static void add_no_number(const struct leak_report *report, char text[LEAK_TEXT])
{
	const double each = each_of(report);
	char number[GROUPED];

	if (is_too_coarse(report)) {
		add(text, "No number of calls tells, because each gives the same count: give a "
			  "larger --above.");
		return;
	}
	if (report->outcome->leak.moved && !isfinite(report->outcome->leak.result.beyond_high)) {
		add(text, "Test again while the machine has less to do. If the answer comes again, "
			  "let each call do the same work.");
		return;
	}
	if (each >= CALLS_LEARN || seconds_for(report, CALLS_LEARN) > LONG_SECONDS) {
		add(text, "More calls may tell: give more time by -t, or more calls by -n.");
		return;
	}
	add(text, "About %s calls of each group show how many would tell: ",
	    grouped(CALLS_LEARN, number));
	add_options(report, CALLS_LEARN, text);
	add(text, ".");
	if (each >= CALLS_LARGE || is_shown(report))
		return;
	add(text, " A large difference may show after %s: ", grouped(CALLS_LARGE, number));
	add_options(report, CALLS_LARGE, text);
	add(text, ".");
}

static void add_more_calls(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_findings *const result = &report->outcome->leak.result;
	const double each = each_of(report);
	const uint64_t calls = rounded_up(result->calls_needed);
	char number[GROUPED];

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
	add(text, "About %s calls of each group might tell", grouped(calls, number));
	add(text, ", in the place of %s: ", grouped((uint64_t)each, number));
	add_options(report, calls, text);
	add(text, ". A leak may show earlier.");
}

static bool most_are_void(const struct cpucycles_leak_findings *result)
{
	return result->discarded[0] > result->calls[0] || result->discarded[1] > result->calls[1];
}

void leak_advice(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct outcome_leak *const leak = &report->outcome->leak;
	const double step = leak_step(report);

	text[0] = 0;
	switch (leak->result.verdict) {
	case CPUCYCLES_LEAK_NONE_ABOVE:
		add(text, "%s: see cpucycles-leak(7).",
		    leak->result.shown_below ?
			    "By --above, that does not matter. Other inputs may show more" :
			    "This is no proof that its time does not depend on its input");
		break;
	case CPUCYCLES_LEAK_CANNOT_TELL:
		if (most_are_void(&leak->result))
			add(text, "Most calls are void, because the thread changed its CPU: "
				  "taskset(1) keeps it on one. ");
		add_more_calls(report, text);
		if (step > leak->result.threshold)
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
		if (leak->result.shown_below)
			add(text, " If less than %s %s does not matter: --above %s.",
			    number_digits(4, leak->result.threshold).text, leak_time_unit(report),
			    number_digits(4, leak->result.threshold).text);
		if (step > widest_reach(report))
			add(text,
			    " The counter moves in steps of %s %s, so the size of the "
			    "difference is rough.",
			    number_digits(4, step).text, leak_time_unit(report));
		break;
	}
}
