/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "sentences.h"
#include "letters.h"
#include "subject.h"
#include "result/gate.h"
#include "result/settle.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define add_text(text, ...) letters_add(text, SENTENCE_TEXT, __VA_ARGS__)

const char *sentence_ending(const struct outcome outcomes[], size_t n)
{
	bool interrupted = false, any = false;

	for (size_t i = 0; i < n; i++) {
		interrupted |= outcomes[i].interrupted;
		any |= outcomes[i].count > 0;
	}
	if (!interrupted)
		return NULL;
	return any ? "Interrupted: this is what there was." :
		     "Interrupted before there was a sample.";
}

const char *sentence_modes(const struct cpucycles_event_info *info)
{
	if (info->user && info->kernel)
		return "user mode and kernel";
	return info->kernel ? "kernel" : "user mode";
}

/* Of the functions whose samples lie on one step, the one for which an interval says least, or
 * count: there is none. *step: as a part of its mean. */
static size_t coarsest(const struct outcome *outcome, double *step)
{
	size_t found = outcome->count;

	*step = outcome->precision;
	for (size_t i = 0; i < outcome->count; i++) {
		const struct cpucycles_result *r = &outcome->functions[i].measured.result;
		const double of_sample = outcome->info.resolution / r->iterations / r->iqm;

		if (!judge_is_on_one_step(r) || !(r->iqm > 0) || !(of_sample > *step))
			continue;
		*step = of_sample;
		found = i;
	}
	return found;
}

/* Bytes of a name. */
#define SHOWN 300

/* What a sentence on one of several sizes begins with; without sizes, nothing. */
static void begin(const struct outcome *outcome, char text[SENTENCE_TEXT])
{
	text[0] = 0;
	if (outcome_has_size(outcome))
		add_text(text, "size %zu: ", outcome->size);
}

/* Whether the precision was reached. */
static void add_precision(const struct outcome *outcome, char text[SENTENCE_TEXT])
{
	size_t widest;
	const double precision = outcome_precision(outcome, &widest) * 100;
	const struct cpucycles_result *const r = &outcome->functions[widest].measured.result;
	const char *name = outcome->functions[widest].target->shown;
	const int shown = letters_within(name, SHOWN);
	const char *mean = "mean";

	/* The intervals of the core cycles, which the table shows, are wider. */
	for (size_t i = 0; i < outcome->count; i++)
		if (outcome->functions[i].measured.result.cycles_from == CPUCYCLES_CYCLES_CHAIN)
			mean = "mean time";

	if (outcome_is_precise(outcome))
		add_text(text, "reached: each interval is within %.3g %% of its %s", precision,
			 mean);
	else if (isfinite(precision))
		add_text(text,
			 "not reached in the time (-t): the interval of %.*s is within %.3g %% of "
			 "its %s",
			 shown, name, precision, mean);
	else if (r->iqm > 0)
		add_text(text, "not reached in the time (-t): %.*s has no interval yet", shown,
			 name);
	else
		add_text(text, "not reached: the mean of %.*s is not above 0", shown, name);
}

bool sentence_precision(const struct outcome *outcome, char text[SENTENCE_TEXT])
{
	double step;
	size_t i;

	if (!(outcome->precision > 0) || outcome->layouts == 0 || outcome->interrupted)
		return false;
	begin(outcome, text);
	add_text(text, "Precision of %.3g %%: ", outcome->precision * 100);
	add_precision(outcome, text);
	add_text(text, ", in %zu processes.", outcome_processes(outcome));
	i = coarsest(outcome, &step);
	if (i < outcome->count)
		add_text(text,
			 " A step of the counter is %.3g %% of the mean of %.*s, and intervals do "
			 "not show less.",
			 step * 100, letters_within(outcome->functions[i].target->shown, SHOWN),
			 outcome->functions[i].target->shown);
	return true;
}

const char *sentence_gate_word(const struct outcome outcomes[], size_t n)
{
	if (!(outcomes[0].gate > 0))
		return NULL;
	switch (gate_status(outcomes, n)) {
	case OUTCOME_ALARM:
		return "alarm";
	case OUTCOME_OK:
		return "passed";
	default:
		return "cannot tell";
	}
}

bool sentence_gate(const struct outcome outcomes[], size_t n, char text[SENTENCE_TEXT])
{
	const char *const word = sentence_gate_word(outcomes, n);

	text[0] = 0;
	if (!word)
		return false;
	if (n == 1)
		begin(outcomes, text);
	add_text(text, "Gate of %.3g %%: %s.", outcomes[0].gate * 100, word);
	return true;
}

bool sentence_unchanged(const struct outcome *outcome, char text[SENTENCE_TEXT])
{
	const char *const name = outcome->targets_count ? outcome->targets[0].function : "";

	/* It is true of all sizes, and said once. */
	if (!outcome->unchanged || outcome->pair || outcome->number > 1)
		return false;
	text[0] = 0;
	add_text(text,
		 "%.*s is unchanged: its machine code, and all that it reaches in its file, are "
		 "the same. So there is nothing to measure; --measure-unchanged does it all the "
		 "same.",
		 letters_within(name, SHOWN), name);
	return true;
}

/* Without a gate, the verdict itself counts. It may be one that no gate answers. */
enum { PAIR_FASTER = GATE_LEFT_OUT + 1 };

/* What came of a pair: an answer of the gate, or PAIR_FASTER. */
static int state_of(const struct outcome *outcome)
{
	const enum gate_answer answer = gate_of_target(outcome, 1);

	if (outcome->gate > 0 || (answer != GATE_PASSED && answer != GATE_ALARM))
		return (int)answer;
	switch (outcome->functions[1].measured.verdict.kind) {
	case VERDICT_FASTER:
		return PAIR_FASTER;
	case VERDICT_SLOWER:
		return GATE_ALARM;
	default:
		return GATE_PASSED;
	}
}

void sentence_names_add(struct sentence_names *names, const char *name)
{
	const size_t length = strlen(names->text);

	/* After one that has no room, none is named, so that the names are the first ones. */
	if (names->named == names->all && length + strlen(name) + 3 <= SENTENCE_NAMES) {
		snprintf(names->text + length, SENTENCE_NAMES - length, "%s%s",
			 names->named ? ", " : "", name);
		names->named++;
	}
	names->all++;
}

void sentence_names_say(const struct sentence_names *names, const char *called,
			char text[SENTENCE_TEXT])
{
	add_text(text, "%s: %zu", called, names->all);
	if (names->named > 0)
		add_text(text, " (%s%s)", names->text,
			 names->named < names->all ? " and others" : "");
}

/* The functions in this state, after the word for them. */
static void add_pairs(const struct outcome outcomes[], size_t n, int state, const char *called,
		      char text[SENTENCE_TEXT])
{
	struct sentence_names names = { .all = 0 };

	for (size_t i = 0; i < n; i++)
		if (state_of(&outcomes[i]) == state)
			sentence_names_add(&names, outcomes[i].targets[0].function);
	if (names.all == 0)
		return;
	add_text(text, " ");
	sentence_names_say(&names, called, text);
	add_text(text, ".");
}

bool sentence_pairs(const struct outcome outcomes[], size_t n, char text[SENTENCE_TEXT])
{
	const struct subject_words *const words = subject_words(outcomes);
	char at_least[40] = "", longer[60] = "";
	bool gate;

	if (!outcomes[0].pair)
		return false;
	gate = sentence_gate(outcomes, n, text);
	if (gate) {
		add_text(text, " ");
		snprintf(at_least, sizeof at_least, "Slower by %.3g %% or more",
			 outcomes[0].gate * 100);
		snprintf(longer, sizeof longer, "%s %s only", at_least, words->longer);
	}
	add_text(text, "%s in both files: %zu.", words->ones, n);
	add_pairs(outcomes, n, GATE_ALARM, gate ? at_least : "Slower", text);
	add_pairs(outcomes, n, PAIR_FASTER, "Faster", text);
	add_pairs(outcomes, n, GATE_PASSED, gate ? "Passed" : "The same", text);
	add_pairs(outcomes, n, GATE_UNCHANGED, "Unchanged", text);
	add_pairs(outcomes, n, GATE_LONGER, longer, text);
	add_pairs(outcomes, n, GATE_CANNOT_TELL, "Cannot tell", text);
	add_pairs(outcomes, n, GATE_FAILED, "Failed", text);
	add_pairs(outcomes, n, GATE_PARAMETERS, SENTENCE_PARAMETERS, text);
	add_pairs(outcomes, n, GATE_UNSURE, SENTENCE_UNSURE, text);
	add_pairs(outcomes, n, GATE_LEFT_OUT, SENTENCE_LEFT_OUT, text);
	return true;
}
