/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "memory.h"
#include "letters.h"
#include "progress.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define SO_FAR 48

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

/* How the last function compares so far, such as ": 0.97 % longer". */
static const char *so_far(const struct child_job *job, char text[SO_FAR])
{
	const double ratio = job->so_far;

	if (!(ratio > 0) || !isfinite(ratio))
		*text = 0;
	else if (ratio >= 2 || ratio <= 0.5)
		snprintf(text, SO_FAR, ": %.3g times as long", ratio);
	else
		snprintf(text, SO_FAR, ": %.2f %% %s", fabs(ratio - 1) * 100,
			 ratio < 1 ? "less time" : "longer");
	return text;
}

/* Which process it is, and what the earlier ones have found. */
static void put_process(char *text, size_t room, const struct child_job *job)
{
	char compared[SO_FAR], limit[SO_FAR] = "";

	/* The time of one of several pairs is not the user's. */
	if (!job->pair)
		snprintf(limit, SO_FAR, ", in at most %.1f s", (double)job->budget_ns * 1e-9);
	snprintf(text, room, "process %zu%s%s", job->process + 1, limit, so_far(job, compared));
}

void progress_text(char text[PROGRESS_COLUMNS + 1], const struct child_job *job,
		   const struct child_memory *memory, uint64_t ns)
{
	const int phase = memory->shared->phase;
	const size_t at = memory_at(job, memory);
	int n = snprintf(text, PROGRESS_COLUMNS + 1,
			 "cpucycles-measure: %.1f s: ", (double)ns * 1e-9);
	size_t room = PROGRESS_COLUMNS + 1 - (size_t)n;

	if (job->pair)
		n += snprintf(text + n, room, "%zu of %zu, %.*s: ", job->number, job->all,
			      letters_within(job->pair, 16), job->pair);
	else if (job->n > 0 && job->targets[0]->sized)
		n += snprintf(text + n, room, "size %zu: ", job->targets[0]->size);
	room = PROGRESS_COLUMNS + 1 - (size_t)n;
	if (!job->n && phase == CHILD_MEASURES)
		snprintf(text + n, room, "checking");
	else if (at < job->n && phase == CHILD_MEASURES && job->targets[at]->leak)
		snprintf(text + n, room, "testing for at most %.1f s: %s",
			 (double)job->plan.budget_ns * 1e-9, job->targets[at]->label);
	else if (job->process > 0 || (phase == CHILD_MEASURES && memory->meter->run.rounds))
		put_process(text + n, room, job);
	else
		snprintf(text + n, room, "%s%s", activity(phase),
			 at < job->n ? job->targets[at]->label : "");
	letters_trim(text);
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
