/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "measure-tries.h"
#include "measure-watch.h"
#include "reason.h"
#include "run.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The smaller one of two, unless that is OUTCOME_OK. */
static enum outcome_status both(enum outcome_status a, enum outcome_status b)
{
	if (a == OUTCOME_OK || b == OUTCOME_OK)
		return a == OUTCOME_OK ? b : a;
	return a < b ? a : b;
}

static void complain(const char *what, const struct cpucycles_reason *reason)
{
	if (reason->remedy[0])
		log_line(LOG_ERROR, "%s: %s; %s", what, reason->what, reason->remedy);
	else
		log_line(LOG_ERROR, "%s: %s", what, reason->what);
}

/* A message about what a child was at when it ended. */
static const char *phase_words(int phase)
{
	switch (phase) {
	case CHILD_LOADS:
		return "while its library was loaded";
	case CHILD_SETS_UP:
		return "in its _setup";
	default:
		return "while it ran";
	}
}

static void say_end(const struct watched *watched, const char *when,
		    struct cpucycles_reason *reason)
{
	const double timeout = (double)watched->timeout_ns * 1e-9;

	if (watched->end == WATCH_HUNG && watched->stopped)
		reason_say(reason, ETIMEDOUT,
			   "a signal stopped it %s, and nothing went on for %.4g s", when, timeout);
	else if (watched->end == WATCH_HUNG)
		reason_say(reason, ETIMEDOUT, "it passed --timeout %s: %.4g s", when, timeout);
	else if (watched->signal)
		reason_say(reason, 0, "it crashed %s: signal %d (%s)", when, watched->signal,
			   strsignal(watched->signal));
	else
		reason_say(reason, 0, "it ended the process %s, with exit status %d", when,
			   watched->status);
}

/* Take target number i out of the job. */
static void leave_out(struct child_job *job, size_t i, enum target_fate fate)
{
	job->targets[i]->fate = fate;
	job->n--;
	memmove(&job->targets[i], &job->targets[i + 1], (job->n - i) * sizeof *job->targets);
}

static enum outcome_status blame(struct child_job *job, const struct child_memory *memory,
				 const struct watched *watched)
{
	const bool hung = watched->end == WATCH_HUNG;
	size_t i = child_is_at(job, memory);
	struct cpucycles_reason reason;
	struct target *target;

	if (i == job->n) {
		say_end(watched, "between the functions", &reason);
		complain("the measuring process", &reason);
		return OUTCOME_FAILED;
	}
	target = job->targets[i];
	say_end(watched, phase_words(memory->phase), &target->reason);
	log_line(LOG_ERROR, "%s: %s%s", target->label, target->reason.what,
		 job->n > 1 ? "; the others are measured again without it" : "");
	leave_out(job, i, hung ? TARGET_HUNG : TARGET_CRASHED);
	return hung ? OUTCOME_HUNG : OUTCOME_CRASHED;
}

/* The target that the child found too fast; the pilots of those behind it were not flown. */
static enum outcome_status leave_out_too_fast(struct child_job *job,
					      const struct child_memory *memory)
{
	const struct cpucycles_meter *meter = memory->meter;

	for (size_t i = 0; i < job->n; i++) {
		if (!run_is_too_fast(meter->run.tracks[i].pilot / meter->instrument.step))
			continue;
		job->targets[i]->reason = memory->reason;
		leave_out(job, i, TARGET_TOO_FAST);
		return OUTCOME_TOO_FAST;
	}
	return OUTCOME_FAILED;
}

/* The child could not go on, and says why. */
static enum outcome_status refused(struct child_job *job, const struct child_memory *memory)
{
	switch (memory->last) {
	case CHILD_LOADS:
		complain(job->targets[memory->which]->label, &memory->reason);
		return OUTCOME_NOT_FOUND;
	case CHILD_OPENS:
		complain("-r", &memory->reason);
		return memory->error == -ENOTSUP ? OUTCOME_NO_COUNTER : OUTCOME_FAILED;
	default:
		complain(job->n ? "measuring" : "--check", &memory->reason);
		return OUTCOME_FAILED;
	}
}

/* What came of one child. *again: the others are to be measured. */
static enum outcome_status judge(struct child_job *job, struct child_memory *memory,
				 const struct watched *watched, struct outcome *outcome,
				 bool *again)
{
	enum outcome_status status = OUTCOME_OK;
	size_t before = job->n;

	switch (watched->end) {
	case WATCH_DONE:
		if (memory->error == -ERANGE && job->n > 0)
			status = leave_out_too_fast(job, memory);
		else if (memory->error)
			return refused(job, memory);
		break;
	case WATCH_INTERRUPTED:
		outcome->interrupted = true;
		status = OUTCOME_INTERRUPTED;
		break;
	case WATCH_NOT_STARTED:
		log_line(LOG_ERROR, "no process can be started: %s", strerror(-watched->error));
		return OUTCOME_FAILED;
	default:
		status = blame(job, memory, watched);
		break;
	}
	*again = job->n < before && job->n > 0;
	if (job->n == before && (status == OUTCOME_OK || outcome->interrupted) &&
	    outcome_fill(outcome, job, memory) == -ENOMEM) {
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
		return OUTCOME_FAILED;
	}
	return status;
}

static enum outcome_status try_once(struct child_job *job, uint64_t timeout_ns,
				    struct outcome *outcome, bool *again)
{
	struct child_memory *memory = NULL;
	struct cpucycles_reason reason;
	struct watched watched;
	enum outcome_status status;

	if (child_map(job, &memory, &reason)) {
		complain("-n", &reason);
		return OUTCOME_FAILED;
	}
	watch_run(job, memory, timeout_ns, &watched);
	outcome_counter(outcome, memory);
	status = judge(job, memory, &watched, outcome, again);
	if (outcome->memory != memory)
		child_unmap(memory);
	return status;
}

enum outcome_status tries_run(struct target targets[], size_t n,
			      const struct cpucycles_meter_options *options, uint64_t timeout_ns,
			      struct outcome *outcome)
{
	struct child_job job = { .n = n, .options = *options, .plan = outcome->plan };
	enum outcome_status status = OUTCOME_OK;
	bool again;

	job.targets = calloc(n + 1, sizeof *job.targets);
	if (!job.targets) {
		log_line(LOG_ERROR, "%s", strerror(ENOMEM));
		return OUTCOME_FAILED;
	}
	for (size_t i = 0; i < n; i++)
		job.targets[i] = &targets[i];
	do {
		again = false;
		status = both(status, try_once(&job, timeout_ns, outcome, &again));
	} while (again);
	free(job.targets);
	outcome->targets = targets;
	outcome->targets_count = n;
	if (outcome_lacks_events(outcome))
		status = both(status, OUTCOME_NOT_COUNTED);
	if (outcome->check && status == OUTCOME_OK && outcome->warnings.n)
		status = OUTCOME_WARNING;
	return status;
}
