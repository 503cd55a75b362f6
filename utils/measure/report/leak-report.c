/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "letters.h"
#include "leak-report.h"
#include "number.h"
#include "verdict.h"

#include <inttypes.h>
#include <math.h>

#define add(text, ...) letters_add(text, LEAK_TEXT, __VA_ARGS__)

/* Chances below 1 in TESTS_MOST are not distinguished. */
#define TESTS_MOST 1e9

/* Smaller shares of calls are not distinguished. */
#define LEAST_PERCENT 0.01

enum outcome_status leak_status(const struct leak_report *report)
{
	const int verdict = report->result.verdict;

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

	return words[report->result.verdict];
}

bool leak_is_seen(const struct cpucycles_leak_decile *d)
{
	return d->group0 != 0 || d->difference != 0 || isfinite(d->high - d->low);
}

/* How the inputs are made, and what is said of them: of group 0, of group 1, and of group 0 when
 * group 1 stands before it. */
static const char *const *words_of(const struct leak_report *report)
{
	static const char *const random[] = { "the fixed input", "a random input",
					      "the fixed one" };
	static const char *const pairs[] = { "the first input", "the second input",
					     "the first one" };
	static const char *const prepared[] = { "an input of group 0", "an input of group 1",
						"one of group 0" };

	if (report->prepared)
		return prepared;
	return report->flags & CPUCYCLES_LEAK_PAIRS ? pairs : random;
}

const char *leak_group(const struct leak_report *report, int group)
{
	return words_of(report)[group];
}

const char *leak_time_unit(const struct leak_report *report)
{
	return report->result.units_per_cycle > 0 ? "cycles" : outcome_unit(report->outcome);
}

double leak_step(const struct leak_report *report)
{
	const double units = report->result.units_per_cycle;

	return report->outcome->info.step / (units > 0 ? units : 1);
}

/* Numbers */

const char *leak_grouped(uint64_t number, char text[LEAK_GROUPED])
{
	char digits[LEAK_GROUPED];
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

uint64_t leak_unit(uint64_t number)
{
	uint64_t unit = 1;

	for (uint64_t rest = number; rest >= 100; rest /= 10)
		unit *= 10;
	return unit;
}

static uint64_t rounded_down(double number)
{
	const uint64_t whole = (uint64_t)number, unit = leak_unit(whole);

	return whole / unit * unit;
}

static const char *number(double value, const struct cpucycles_leak_decile *d,
			  char text[FIGURES_NUMBER])
{
	return figures_number(value, (d->high - d->low) / 2, text);
}

/* What --above says, or stands for it. */
static struct number limit_of(const struct leak_report *report)
{
	const double above = report->result.above;

	return above < 10000 ? number_digits(4, above) : number_decimals(0, above);
}

/* How far from 0 the interval reaches. */
static double reach_of(const struct cpucycles_leak_decile *d)
{
	return fmax(fabs(d->low), fabs(d->high));
}

const char *leak_bound(double value, char text[FIGURES_NUMBER])
{
	return figures_number(value, value / 10, text);
}

/* In percent. */
static struct cpucycles_leak_decile percent_of(const struct cpucycles_leak_decile *d)
{
	return (struct cpucycles_leak_decile){ 100 * d->group0, 100 * d->difference, 100 * d->low,
					       100 * d->high };
}

/* The decile whose interval reaches the farthest. */
static size_t widest(const struct cpucycles_leak_result *result)
{
	size_t most = 0;

	for (size_t i = 1; i < CPUCYCLES_LEAK_DECILES; i++)
		if (reach_of(&result->deciles[i]) > reach_of(&result->deciles[most]))
			most = i;
	return most;
}

double leak_reach(const struct cpucycles_leak_result *result)
{
	return reach_of(&result->deciles[widest(result)]);
}

/* Sentences */

static void add_chance(double chance, char text[LEAK_TEXT])
{
	const double tests = chance > 0 ? fmin(1 / chance, TESTS_MOST) : TESTS_MOST;
	char number[LEAK_GROUPED];

	if (tests > 1)
		add(text, "at most 1 of %s tests", leak_grouped(rounded_down(tests), number));
	else
		add(text, "any test");
}

static void add_place(int quantile, char text[LEAK_TEXT])
{
	if (quantile == 50)
		add(text, "at the median");
	else
		add(text, "at the quantile of %d %%", quantile);
}

/* An interval of what is more, or of what is less. */
static void add_interval(const struct cpucycles_leak_decile *d, const char *unit,
			 char text[LEAK_TEXT])
{
	const double sign = d->difference < 0 ? -1 : 1;
	char low[FIGURES_NUMBER], high[FIGURES_NUMBER];

	if (!isfinite(d->low) || !isfinite(d->high))
		return;
	number(sign < 0 ? -d->high : d->low, d, low);
	number(sign < 0 ? -d->low : d->high, d, high);
	add(text, " (%s to %s%s)", low, high, unit);
}

/* How many calls of both groups are up to the quantile of 1 %, or above the quantile of 99 %. */
static void add_ends(const struct leak_report *report, bool slowest, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_decile tail =
		percent_of(slowest ? &report->result.tail : &report->result.head);
	const char *const *words = words_of(report);
	char first[FIGURES_NUMBER], second[FIGURES_NUMBER];

	add(text,
	    "%s of all calls are %s %% of those with %s, and %s %% of those with %s; the "
	    "difference is ",
	    slowest ? "above the quantile of 99 %" : "up to the quantile of 1 %",
	    number(fmax(0, tail.group0 + tail.difference), &tail, second), words[1],
	    number(fmax(0, tail.group0), &tail, first), words[2]);
	add(text, "%s %%", number(fabs(tail.difference), &tail, first));
	add_interval(&tail, " %", text);
}

static bool is_decile(int quantile)
{
	return quantile >= 10 && quantile <= 90;
}

/* The difference where it is the surest. */
static void add_difference(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_result *const result = &report->result;
	const struct cpucycles_leak_decile *d;
	char value[FIGURES_NUMBER];

	if (!is_decile(result->surest)) {
		add_ends(report, result->surest > 90, text);
		return;
	}
	d = &result->deciles[result->surest / 10 - 1];
	add(text, "%s takes %s %s %s", words_of(report)[1], number(fabs(d->difference), d, value),
	    leak_time_unit(report), d->difference < 0 ? "less" : "more");
	add_interval(d, "", text);
	add(text, " than %s, ", words_of(report)[2]);
	add_place(result->surest, text);
	if (d->low <= 0 && d->high >= 0)
		add(text, ": it is there, but its size is uncertain");
}

/* Some calls differ by more than what matters, or may: how many, and where that is so. */
static void add_beyond(const struct leak_report *report, const char *verb, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_beyond *const beyond = &report->result.beyond;
	char part[FIGURES_NUMBER];

	add(text,
	    "up to %s %% of the calls with %s %s more than %s %s longer or shorter than with ",
	    leak_bound(100 * beyond->high, part), words_of(report)[1], verb, limit_of(report).text,
	    leak_time_unit(report));
	add(text, "%s, ", words_of(report)[2]);
	add_place(beyond->quantile, text);
}

static void add_found(const struct leak_report *report, char text[LEAK_TEXT])
{
	add(text, "%s leaks", report->target->function);
	if (report->result.below)
		add(text, ", by less than %s %s at each decile", limit_of(report).text,
		    leak_time_unit(report));
	add(text, ": ");
	add_difference(report, text);
	if (is_decile(report->result.surest) && !report->result.below &&
	    isfinite(report->result.beyond.high) &&
	    leak_reach(&report->result) < report->result.above) {
		add(text, ". That is less than %s %s, but ", limit_of(report).text,
		    leak_time_unit(report));
		add_beyond(report, "take", text);
	}
	add(text, ". By chance, equal times would differ so in ");
	add_chance(report->result.chance, text);
	add(text, ".");
}

static void add_none(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_result *const result = &report->result;
	const char *const unit = leak_time_unit(report);
	char units[FIGURES_NUMBER], percent[FIGURES_NUMBER];

	add(text, "No difference above %s %s was found in %s: ", limit_of(report).text, unit,
	    report->target->function);
	add(text, "%s takes at most %s %s more or less than %s, at each decile, and ",
	    words_of(report)[1], leak_bound(leak_reach(result), units), unit, words_of(report)[2]);
	add(text,
	    "at most %s %% of the calls take more than %s %s longer or shorter, between the "
	    "quantiles of 1 and 99 %%.",
	    leak_bound(fmax(LEAST_PERCENT, 100 * result->beyond.most), percent),
	    limit_of(report).text, unit);
	if (!result->below)
		return;
	add(text, " A difference is shown nevertheless: ");
	add_difference(report, text);
	add(text, ".");
}

bool leak_is_shown(const struct leak_report *report)
{
	const double error = report->outcome->plan.error;

	return report->result.chance < (error > 0 ? error : VERDICT_ERROR);
}

static void add_unknown(const struct leak_report *report, char text[LEAK_TEXT])
{
	const struct cpucycles_leak_result *const result = &report->result;
	const char *const unit = leak_time_unit(report);
	const double reach = leak_reach(result);
	char value[FIGURES_NUMBER];

	add(text, "Cannot tell whether %s leaks", report->target->function);
	if (leak_is_shown(report)) {
		add(text,
		    " by more than %s %s: a difference is shown, but not whether it is "
		    "larger than that: ",
		    limit_of(report).text, unit);
		add_difference(report, text);
		add(text, ".");
		return;
	}
	if (report->moved && !isfinite(result->beyond.high)) {
		add(text,
		    ": its calls became faster or slower during the test, because %s or "
		    "because calls do different work.",
		    result->units_per_cycle > 0 ? "other programs slow this core" :
						  "this machine's core changed its speed");
		return;
	}
	if (!isfinite(reach) || (reach < result->above && !isfinite(result->beyond.high))) {
		add(text, ": there were too few calls.");
		return;
	}
	add(text, ": none is shown, but ");
	if (reach >= result->above) {
		add(text, "a difference of %s %s ", leak_bound(reach, value), unit);
		add_place((int)(10 * (widest(result) + 1)), text);
		add(text, " is not excluded. Above %s it would matter.", limit_of(report).text);
		return;
	}
	add_beyond(report, "may take", text);
	add(text, ". From %s %% on it would matter.",
	    leak_bound(100 * result->beyond.within, value));
}

static void add_no_control(const struct leak_report *report, char text[LEAK_TEXT])
{
	add(text,
	    "No verdict on %s: equal inputs that were made in both ways take different times, as "
	    "they would by chance in ",
	    report->target->function);
	add_chance(report->result.control_chance, text);
	add(text, ". So the harness or the machine is at fault.");
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
	add_what[report->result.verdict](report, text);
}
