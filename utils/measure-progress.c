/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "measure-memory.h"
#include "measure-progress.h"

#include <stdio.h>
#include <string.h>

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

void progress_text(char text[PROGRESS_COLUMNS + 1], const struct child_job *job,
		   const struct child_memory *memory, uint64_t ns)
{
	const int phase = memory->shared->phase;
	const size_t at = memory_at(job, memory);
	int n = snprintf(text, PROGRESS_COLUMNS + 1,
			 "cpucycles-measure: %.1f s: ", (double)ns * 1e-9);
	size_t room = PROGRESS_COLUMNS + 1 - (size_t)n;

	if (job->n > 0 && job->targets[0]->sized) {
		n += snprintf(text + n, room, "size %zu: ", job->targets[0]->size);
		room = PROGRESS_COLUMNS + 1 - (size_t)n;
	}
	if (!job->n && phase == CHILD_MEASURES)
		snprintf(text + n, room, "checking");
	else if (job->process > 0 || (phase == CHILD_MEASURES && memory->meter->run.rounds))
		snprintf(text + n, room, "process %zu, in at most %.1f s", job->process + 1,
			 (double)job->budget_ns * 1e-9);
	else
		snprintf(text + n, room, "%s%s", activity(phase),
			 at < job->n ? job->targets[at]->label : "");
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
