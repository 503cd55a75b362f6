/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "memory.h"
#include "letters.h"
#include "progress.h"

#include <math.h>

#define add(text, ...) letters_add(text, PROGRESS_COLUMNS + 1, __VA_ARGS__)

/* What the child is at, and with which function. */
static const char *activity(int phase)
{
	switch (phase) {
	case CHILD_LOADS:
		return "loading ";
	case CHILD_OPENS:
		return "measuring the counter";
	case CHILD_SETS_UP:
		return "setting up ";
	case CHILD_MEASURES:
		return "first calls of ";
	default:
		return "";
	}
}

void progress_begin_text(char text[PROGRESS_COLUMNS + 1], uint64_t ns, const char *pair,
			 size_t number, size_t all)
{
	text[0] = 0;
	add(text, "cpucycles-measure: %.1f s: ", (double)ns * 1e-9);
	if (pair)
		add(text, "%zu of %zu, %.*s: ", number, all, letters_within(pair, 16), pair);
}

void progress_add_so_far(double ratio, char text[PROGRESS_COLUMNS + 1])
{
	if (!(ratio > 0) || !isfinite(ratio))
		return;
	if (ratio > 1.5)
		add(text, ": %.3g times as long", ratio);
	else if (1 / ratio > 1.5)
		add(text, ": %.3g times as fast", 1 / ratio);
	else
		add(text, ": %.2f %% %s", fabs(ratio - 1) * 100,
		    ratio < 1 ? "less time" : "slower");
}

/* Which process it is, and what the earlier ones have found. */
static void add_process(const struct child_job *job, char text[PROGRESS_COLUMNS + 1])
{
	add(text, "process %zu", job->process + 1);
	/* The time of one of several pairs is not the user's. */
	if (!job->pair)
		add(text, ", in at most %.1f s", (double)job->budget_ns * 1e-9);
	progress_add_so_far(job->so_far, text);
}

void progress_text(char text[PROGRESS_COLUMNS + 1], const struct child_job *job,
		   const struct child_memory *memory, uint64_t ns)
{
	const int now = memory->shared->phase, phase = now == CHILD_JUDGES ? CHILD_MEASURES : now;
	const size_t at = memory_at(job, memory);

	progress_begin_text(text, ns, job->pair, job->number, job->all);
	if (!job->pair && job->n > 0 && job->targets[0]->sized)
		add(text, "size %zu: ", job->targets[0]->size);
	if (!job->n && phase == CHILD_MEASURES)
		add(text, "checking");
	else if (at < job->n && phase == CHILD_MEASURES && child_tests_leak(job))
		add(text, "testing for at most %.1f s: %s", (double)job->plan.budget_ns * 1e-9,
		    job->targets[at]->label);
	else if (job->process > 0 || (phase == CHILD_MEASURES && memory->meter->run.rounds))
		add_process(job, text);
	else
		add(text, "%s%s", activity(phase), at < job->n ? job->targets[at]->label : "");
}

void progress_show(struct progress *progress, const struct child_job *job,
		   const struct child_memory *memory, uint64_t ns)
{
	char text[PROGRESS_COLUMNS + 1];

	if (!progress_is_due(progress, ns))
		return;
	progress_text(text, job, memory, ns - progress->begun_ns);
	progress_line(progress, ns, text);
}
