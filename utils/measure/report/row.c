/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "row.h"
#include "letters.h"
#include "number.h"
#include "subject.h"
#include "result/gate.h"
#include "result/settle.h"
#include "result/steps.h"

#include <math.h>
#include <string.h>

/* Room for what it would take to tell. */
#define ADVICE 320

/* About how long these layouts would take, in whole seconds, from the beginning. A little more,
 * because in a time that is a little too short, the last of them would be missing. */
static double seconds_for(const struct outcome *outcome, size_t layouts)
{
	const double done = outcome->layouts ? (double)outcome->layouts : 1;

	return ceil(1.1 *
		    ((double)outcome->elapsed_ns / done * (double)layouts +
		     (double)outcome->prepared_ns) *
		    1e-9);
}

/* What it would take to tell how function number i compares. */
static void cannot_tell(const struct outcome *outcome, size_t i, char text[ADVICE])
{
	const struct verdict *const v = &outcome->functions[i].measured.verdict;
	const size_t most = outcome_most(outcome);
	const size_t needed = outcome_needed(outcome, i);
	const char *const what = subject_words(outcome)->many;
	char of_pair[64];
	/* The time of one of several pairs is not what -t says. */
	const bool by_samples =
		(!outcome->linked && !outcome_has_runs(outcome)) || outcome->plan.samples;
	const char *const options = outcome->pair ? of_pair : by_samples ? "-t, -n" : "-t";

	snprintf(of_pair, sizeof of_pair, "for this %s; -t is for all",
		 subject_words(outcome)->one);
	if (needed == 0)
		snprintf(text, ADVICE, "No difference was seen.");
	else if (!isfinite(v->high))
		snprintf(text, ADVICE,
			 "These were too few %s: at least %zu are needed, which takes about "
			 "%.0f s (%s).",
			 what, needed, seconds_for(outcome, needed), options);
	else if (v->difference <= v->within && needed > most)
		snprintf(text, ADVICE,
			 "If they are equal, it would take more than %zu %s, which is the most.",
			 most, what);
	else if (v->difference <= v->within)
		snprintf(text, ADVICE,
			 "If they are equal, about %zu %s would tell, in about %.0f s (%s).",
			 needed, what, seconds_for(outcome, needed), options);
	else if (needed > most)
		snprintf(text, ADVICE,
			 "A difference of %s %% would take more than %zu %s, which is the most.",
			 number_digits(3, 100 * v->difference).text, most, what);
	else
		snprintf(text, ADVICE,
			 "A difference of %s %% would take about %zu %s, about %.0f s (%s).",
			 number_digits(3, 100 * v->difference).text, needed, what,
			 seconds_for(outcome, needed), options);
}

/* What a verdict was made from. */
static void say_base(const struct outcome *outcome, size_t i, char text[ADVICE])
{
	const double seconds = (double)outcome->elapsed_ns * 1e-9;

	if (outcome->linked)
		snprintf(text, ADVICE, ", %zu layouts, %.*f s", outcome_layouts(outcome, i),
			 seconds < 1 ? 1 : 0, seconds);
	else if (outcome_has_runs(outcome))
		snprintf(text, ADVICE, ", in %zu pair%s of processes, %.*f s", outcome->layouts,
			 outcome->layouts == 1 ? "" : "s", seconds < 1 ? 1 : 0, seconds);
	else
		snprintf(text, ADVICE, ", in %zu process%s", outcome->layouts,
			 outcome->layouts == 1 ? "" : "es");
}

/* Whether the mean of nearly all calls is shown to say something else than the verdict on typical
 * calls: their intervals are farther apart than this part of 1. */
#define APART 0.05

static bool contradicts_mean(const struct measured *m)
{
	const struct verdict *const typical = &m->verdict, *const mean = &m->mean_verdict;

	return mean->ratio > 0 &&
	       (mean->low > typical->high * (1 + APART) || mean->high < typical->low / (1 + APART));
}

/* What the verdict does not show. */
static void say_mean(const struct outcome *outcome, const struct verdict *mean, char text[ADVICE])
{
	const char *const blank = *text ? " " : "";
	char low[FIGURES_NUMBER], high[FIGURES_NUMBER], ratio[FIGURES_NUMBER];
	const double half = (mean->high - mean->low) / 2;

	if (!outcome_has_runs(outcome))
		letters_add(text, ADVICE,
			    "%sThe mean of all samples but the longest 5 %% is %.3g times as long.",
			    blank, mean->ratio);
	else
		letters_add(text, ADVICE, "%sThe %s is %s times as long (%s to %s).", blank,
			    subject_words(outcome)->longer,
			    figures_number(mean->ratio, half, ratio),
			    figures_number(mean->low, half, low),
			    figures_number(mean->high, half, high));
}

/* What it would take to tell, and what the verdict does not show. */
static void advise(const struct outcome *outcome, size_t i, char text[ADVICE])
{
	const struct measured *const m = &outcome->functions[i].measured;

	text[0] = 0;
	if (m->verdict.kind == VERDICT_CANNOT_TELL)
		cannot_tell(outcome, i, text);
	if (gate_sees_longer(outcome, i) || contradicts_mean(m))
		say_mean(outcome, &m->mean_verdict, text);
}

/* Where the code of function number i takes longer, if that is shown, and what helps. A function
 * that is aligned to a line never begins at a later step. */
static void say_steps(const struct outcome *outcome, size_t i, char text[FIGURES_SENTENCE])
{
	char best[FIGURES_NUMBER], worst[FIGURES_NUMBER], more[FIGURES_NUMBER];
	struct steps steps;
	size_t named = 0;

	if (!steps_find(outcome, i, &steps))
		return;
	if (*text)
		letters_add(text, FIGURES_SENTENCE, " ");
	else if (outcome_has_size(outcome))
		letters_add(text, FIGURES_SENTENCE, "size %zu: ", outcome->size);
	letters_add(text, FIGURES_SENTENCE, "%s by placement: %s %s at best, %s starting at",
		    outcome->functions[i].target->shown, figures_number(steps.best, 0, best),
		    steps.in_cycles ? "cycles" : outcome_unit(outcome),
		    figures_number(steps.worst, 0, worst));
	for (size_t step = 0; step < PLACEMENT_PROCESSES; step++)
		if (steps.costly[step])
			letters_add(text, FIGURES_SENTENCE, "%s %zu", named++ ? " or" : "",
				    step * PLACEMENT_STEP);
	letters_add(text, FIGURES_SENTENCE, " bytes past a line (+%s). %s",
		    figures_percent(steps.worst / steps.best - 1, more),
		    steps.costly[0] ? "-falign-loops=64 may help." :
				      "__attribute__((aligned(64))) or -falign-functions=64 "
				      "keeps it from there.");
}

/* The figures of function number i. */
static struct figures_function row_of(const struct outcome *outcome, size_t i)
{
	const struct outcome_function *const function = &outcome->functions[i];
	struct figures_function row = {
		.words = subject_words(outcome)->figures,
		.name = function->target->shown,
		.sized = function->target->sized,
		.size = outcome->size,
		.bytes = function->target->bytes,
		.measured = &function->measured,
		.events = function->events,
		.resolution = judge_is_on_one_step(&function->measured.result) ?
				      outcome->info.resolution :
				      0,
		.runs = outcome->layouts,
		.linked = outcome->linked,
		.layouts = outcome_layouts(outcome, i),
	};

	row.ns_per_unit = outcome_ns_per_unit(outcome, function, &row.ns_error);
	return row;
}

/* One that failed has its reason. The others were not measured if one of them did, and Ctrl-C or an
 * error came then. */
static struct figures_function row_without(const struct outcome *outcome,
					   const struct target *target)
{
	struct figures_function row = {
		.name = target->shown,
		.sized = target->sized,
		.size = outcome->size,
		.bytes = target->bytes,
		.reason = target->state != TARGET_MEASURED ? target->reason.what :
			  outcome->unchanged               ? "unchanged" :
							     "not measured",
	};

	if (target == outcome->targets && outcome_misses_first(outcome))
		figures_missed(&row);
	return row;
}

static void compare(struct figures_function *row, const struct outcome *outcome, size_t i)
{
	const struct figures_function first = row_of(outcome, 0);
	char base[ADVICE], advice[ADVICE];

	say_base(outcome, i, base);
	advise(outcome, i, advice);
	figures_sentence(row, &first, subject_words(outcome)->scope, base, advice);
}

struct figures_function row_figures(const struct outcome *outcome, const struct target *target)
{
	const struct outcome_function *const function = outcome_function_of(outcome, target);

	return function ? row_of(outcome, (size_t)(function - outcome->functions)) :
			  row_without(outcome, target);
}

void row_fill(struct figures_function *row, const struct outcome *outcome,
	      const struct target *target)
{
	const struct outcome_function *const function = outcome_function_of(outcome, target);
	const size_t i = function ? (size_t)(function - outcome->functions) : 0;

	*row = function ? row_of(outcome, i) : row_without(outcome, target);
	if (!function)
		return;
	if (target->signature.asked && !target->signature.known)
		row->caution = target->signature.scoped ?
				       "type unknown: taken as no member of a class" :
			       target->sized ? "type unknown: taken as void f(size_t)" :
					       "type unknown: taken as void f(void)";
	if (function->measured.compared)
		compare(row, outcome, i);
	say_steps(outcome, i, row->sentence);
}
