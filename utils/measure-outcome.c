/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "measure-outcome.h"
#include "judge.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OUTCOME_ADVICE 200

/* More samples than this do not fit into memory. */
#define SAMPLES_SENSIBLE 1000000000u

static const struct {
	uint64_t warning;
	const char *name;
} warning_names[OUTCOME_WARNINGS] = {
	{ CPUCYCLES_WARNING_BACKWARDS, "backwards" }, { CPUCYCLES_WARNING_RATE, "rate" },
	{ CPUCYCLES_WARNING_STEP, "step" },           { CPUCYCLES_WARNING_HALVES, "halves" },
	{ CPUCYCLES_WARNING_DRIFT, "drift" },         { CPUCYCLES_WARNING_MOVED, "moved" },
	{ CPUCYCLES_WARNING_FREQUENCY, "frequency" },
};

const char *outcome_unit(const struct outcome *outcome)
{
	return judge_unit(outcome->info.unit);
}

/* The names and sentences of work number i's warnings. */
static void warn(const struct cpucycles_meter *meter, size_t i, uint64_t warnings,
		 struct outcome_warnings *list)
{
	list->n = 0;
	for (size_t w = 0; w < OUTCOME_WARNINGS; w++) {
		struct cpucycles_reason *reason = &list->list[list->n].reason;

		if (!(warnings & warning_names[w].warning))
			continue;
		reason->size = sizeof *reason;
		if (judge_warning(&meter->run, &meter->source, &meter->instrument, i,
				  warning_names[w].warning, reason))
			continue;
		list->list[list->n++].name = warning_names[w].name;
	}
}

static int fill_function(struct outcome_function *function, const struct cpucycles_meter *meter,
			 size_t i)
{
	size_t n;
	int error;

	function->result.size = sizeof function->result;
	error = judge_result(&meter->run, &meter->source, &meter->instrument, i, &function->result);
	if (!error)
		error = judge_samples(&meter->run, i, &function->samples, &n);
	if (error)
		return error;
	warn(meter, i, function->result.warnings, &function->warnings);
	function->verdict.size = sizeof function->verdict;
	function->compared = i > 0 && !judge_verdict(&meter->run, i, &function->verdict);
	return 0;
}

void outcome_counter(struct outcome *outcome, const struct child_memory *memory)
{
	if (!memory->opened)
		return;
	outcome->opened = true;
	outcome->info = memory->info;
	outcome->next_best = memory->next_best;
}

int outcome_fill(struct outcome *outcome, const struct child_job *job, struct child_memory *memory)
{
	const struct cpucycles_meter *meter = memory->meter;

	if (!memory->opened || !meter->run.rounds)
		return -ENODATA;
	outcome->memory = memory;
	if (!job->n) {
		warn(meter, 0, memory->warnings, &outcome->warnings);
		outcome->checked = !outcome->interrupted;
		return 0;
	}
	outcome->functions = calloc(job->n, sizeof *outcome->functions);
	if (!outcome->functions)
		return -ENOMEM;
	for (size_t i = 0; i < job->n; i++) {
		int error = fill_function(&outcome->functions[i], meter, i);

		if (error)
			return error;
		outcome->functions[i].target = job->targets[i];
	}
	outcome->count = job->n;
	outcome->error = meter->run.error;
	if (job->n > 1)
		outcome->control = run_control(&meter->run)->samples;
	return 0;
}

void outcome_free(struct outcome *outcome)
{
	free(outcome->functions);
	child_unmap(outcome->memory);
}

/* What it would take to tell. */
static void cannot_tell(const struct cpucycles_verdict *v, char text[OUTCOME_ADVICE])
{
	if (v->samples_needed > SAMPLES_SENSIBLE)
		snprintf(text, OUTCOME_ADVICE,
			 "It would take more than a billion samples of each.");
	else if (v->samples_needed)
		snprintf(text, OUTCOME_ADVICE,
			 "About %" PRIu64 " samples of each might tell (-n, with a longer -t).",
			 v->samples_needed);
	else if (!isfinite(v->low) || !isfinite(v->high))
		snprintf(text, OUTCOME_ADVICE, "There are too few samples (-n, -t).");
	else if (v->ratio == 1)
		snprintf(text, OUTCOME_ADVICE, "No difference was seen.");
	else
		snprintf(text, OUTCOME_ADVICE,
			 "More samples would not tell: the difference is not above the floor of"
			 " %.3g %%, by which the first function differs from itself.",
			 fabs(v->floor) * 100); /* no -0 */
}

void outcome_sentence(const struct outcome *outcome, size_t i, char text[OUTCOME_TEXT])
{
	const struct cpucycles_verdict *v = &outcome->functions[i].verdict;
	const char *name = outcome->functions[i].target->label;
	const char *first = outcome->functions[0].target->label;
	char figures[160] = "", advice[OUTCOME_ADVICE];

	if (isfinite(v->low) && isfinite(v->high))
		snprintf(figures, sizeof figures,
			 ": it takes %.6g times as long, between %.6g and %.6g", v->ratio, v->low,
			 v->high);
	if (v->verdict != CPUCYCLES_CANNOT_TELL) {
		snprintf(text, OUTCOME_TEXT, "%.400s is %s than %.400s%s.", name,
			 v->verdict == CPUCYCLES_FASTER ? "faster" : "slower", first, figures);
		return;
	}
	cannot_tell(v, advice);
	snprintf(text, OUTCOME_TEXT, "%.300s beside %.300s: cannot tell%s. %s", name, first,
		 figures, advice);
}
