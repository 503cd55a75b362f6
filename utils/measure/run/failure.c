/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "failure.h"
#include "memory.h"
#include "reason.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* The exit status of a program that the dynamic linker cannot start. */
#define NO_LIBRARY 127

/* Room for the words on when a child ended. */
#define WHEN 128

void failure_complain(const char *what, const struct reason_text *reason)
{
	log_line(LOG_ERROR, "%s: %s%s%s", what, reason->what, reason->remedy[0] ? "; " : "",
		 reason->remedy);
}

/* A message about what a child was at when it ended. */
static const char *phase_words(const struct child_job *job, const struct child_memory *memory)
{
	const int phase = memory->shared->phase;

	switch (phase) {
	case CHILD_LOADS:
		return job->program ? "in a constructor of its file" :
				      "while its library was loaded";
	case CHILD_SETS_UP:
		return "in its _setup";
	default:
		if (!memory->meter->run.prepares)
			return "while it ran";
		return child_tests_leak(job) ? "in its _input" : "in its _before";
	}
}

/* The same with the size that the function got, and with the process if that is not the first one:
 * the figures of the earlier ones are given up with the function. */
static const char *when_words(const struct child_job *job, const struct target *target,
			      const char *what, char text[WHEN])
{
	char size[40] = "", process[80] = "";

	if (target && target->sized)
		snprintf(size, sizeof size, ", with size %zu", target->size);
	if (job->process > 0)
		snprintf(process, sizeof process, ", in process %zu, after %zu that succeeded",
			 job->process + 1, job->process);
	snprintf(text, WHEN, "%s%s%s", what, size, process);
	return text;
}

/* A large variable may lie BEYOND bytes beyond the limit of the stack. Below a stack, systems leave
 * as much free. */
#define BEYOND (UINT64_C(128) << 20)

/* Whether the child has left its stack at the end, which is at lower addresses. Memory within the
 * limit is the stack's own. */
static bool left_stack(const struct child_shared *shared)
{
	const uintptr_t stack = (uintptr_t)shared->deeper, fault = (uintptr_t)shared->fault;
	struct rlimit limit;

	return fault > 0 && fault < stack && !getrlimit(RLIMIT_STACK, &limit) &&
	       limit.rlim_cur != RLIM_INFINITY && stack - fault < limit.rlim_cur + BEYOND;
}

static void say_end(const struct watched *watched, const struct child_memory *memory,
		    const char *when, struct reason_text *reason)
{
	const double timeout = (double)watched->timeout_ns * 1e-9;
	const double silent = (double)watched->silent_ns * 1e-9;

	if (watched->end == WATCH_HUNG && watched->stopped)
		reason_say(reason, ETIMEDOUT,
			   "a signal stopped it %s, and nothing went on for %.3g s", when, silent);
	else if (watched->end == WATCH_HUNG)
		reason_say(reason, ETIMEDOUT,
			   "it passed --timeout %s: no end after %.3g s, and the limit is %.4g s",
			   when, silent, timeout);
	else if (watched->signal)
		reason_say(reason, 0, "it crashed %s: signal %d (%s)%s", when, watched->signal,
			   strsignal(watched->signal),
			   left_stack(memory->shared) ? ", beyond the end of its stack" : "");
	else
		reason_say(reason, 0, "it ended the process %s, with exit status %d", when,
			   watched->status);
}

/* Take target number i out of the job. */
static void leave_out(struct child_job *job, size_t i, enum target_state state)
{
	job->targets[i]->state = state;
	job->n--;
	memmove(&job->targets[i], &job->targets[i + 1], (job->n - i) * sizeof *job->targets);
}

/* Whether it has crashed as a function may whose pointers make no sense. */
static bool is_fault(const struct watched *watched)
{
	return watched->end == WATCH_CRASHED &&
	       (watched->signal == SIGSEGV || watched->signal == SIGBUS);
}

/* What helps a function that has crashed in that way. */
static void say_remedy(struct target *target, const struct child_memory *memory)
{
	if (left_stack(memory->shared))
		reason_remedy(&target->reason,
			      "let it use less, or raise the limit, which ulimit -s shows");
	if (left_stack(memory->shared) || memory->shared->phase != CHILD_MEASURES)
		return;
	if (target->leak)
		reason_remedy(&target->reason,
			      "if it runs over the end of its input, correct %s_input_bytes",
			      target->stem);
	else if (!memory->meter->run.prepares && !target->signature.known)
		reason_remedy(&target->reason,
			      "if it has other parameters than void %s(%s), write such a function "
			      "around it",
			      target->stem, target_argument(target));
}

/* A program that was linked has ended before main() found its job. */
static enum outcome_status failure_of_start(const struct child_job *job,
					    const struct child_memory *memory,
					    const struct watched *watched)
{
	struct reason_text reason;
	char when[WHEN];

	say_end(watched, memory, when_words(job, NULL, "before main()", when), &reason);
	if (!watched->signal && watched->status == MEMORY_NO_ORDER) {
		reason_say(
			&reason, 0,
			"its object, measure-harness.o, is of another version than this program");
		reason_remedy(&reason, "install both again, or remove the one that is old");
	} else if (!watched->signal && watched->status == NO_LIBRARY)
		reason_remedy(&reason, "if it needs a shared object of --with, set LD_LIBRARY_PATH "
				       "to the folder of that");
	failure_complain("the program that was linked", &reason);
	return OUTCOME_FAILED;
}

enum outcome_status failure_not_added(const struct outcome *outcome, int error)
{
	const char *const what =
		outcome->pair ? outcome->targets[0].function : "the measuring process";

	if (error == -EBADMSG)
		log_line(
			LOG_ERROR,
			"%s: a function has written to memory that is not its own, or has forked a "
			"child that went on after it",
			what);
	else if (error == -ENODATA)
		log_line(LOG_ERROR, "%s: there are no samples", what);
	else
		log_line(LOG_ERROR, "%s: %s", what, strerror(-error));
	return OUTCOME_FAILED;
}

enum outcome_status failure_end(struct child_job *job, const struct child_memory *memory,
				const struct watched *watched, const struct outcome *outcome)
{
	const bool hung = watched->end == WATCH_HUNG;
	const size_t i = memory_at(job, memory);
	struct reason_text reason;
	struct target *target;
	char when[WHEN];

	if (watched->end == WATCH_NOT_STARTED) {
		log_line(LOG_ERROR, "no process can be started: %s", strerror(-watched->error));
		return OUTCOME_FAILED;
	}
	if (i == job->n && job->program && memory->shared->phase == CHILD_STARTS)
		return failure_of_start(job, memory, watched);
	/* What it judges there is the meter, which is no function's. */
	if (memory->shared->phase == CHILD_JUDGES && is_fault(watched))
		return failure_not_added(outcome, -EBADMSG);
	if (i == job->n) {
		say_end(watched, memory, when_words(job, NULL, "between the functions", when),
			&reason);
		failure_complain("the measuring process", &reason);
		return OUTCOME_FAILED;
	}
	target = job->targets[i];
	say_end(watched, memory, when_words(job, target, phase_words(job, memory), when),
		&target->reason);
	if (is_fault(watched))
		say_remedy(target, memory);
	log_line(LOG_ERROR, "%s: %s%s%s%s", target->label, target->reason.what,
		 target->reason.remedy[0] ? "; " : "", target->reason.remedy,
		 job->n > 1 ? "; the others are measured again without it" : "");
	leave_out(job, i, hung ? TARGET_HUNG : TARGET_CRASHED);
	return hung ? OUTCOME_HUNG : OUTCOME_CRASHED;
}

/* The sentence that the child has left. */
static struct reason_text reason_of(const struct child_memory *memory)
{
	struct reason_text reason = memory->shared->reason;

	reason_tidy(&reason);
	return reason;
}

enum outcome_status failure_too_fast(struct child_job *job, const struct child_memory *memory)
{
	const size_t i = memory->shared->which;

	if (i >= job->n)
		return OUTCOME_FAILED;
	job->targets[i]->reason = reason_of(memory);
	leave_out(job, i, TARGET_TOO_FAST);
	return OUTCOME_TOO_FAST;
}

/* The system call that a sandbox refuses, of those without which the library tries no counter.
 * NULL: it is none of these. errno says why. */
static const char *refused_call(void)
{
	struct sigaction action;
	sigset_t mask;

	if (sigaction(SIGILL, NULL, &action))
		return "rt_sigaction(2)";
	errno = pthread_sigmask(SIG_BLOCK, NULL, &mask);
	return errno ? "rt_sigprocmask(2)" : NULL;
}

/* The sandbox of the child is that of this process. */
static void explain_sandbox(struct reason_text *reason)
{
	const char *const call = refused_call();

	if (!call)
		return;
	reason_say(reason, EAGAIN, "no counter can be tried, because a sandbox refuses %s: %s",
		   call, strerror(errno));
	reason_remedy(reason, "allow %s in this container or unit, see cpucycles-sandbox(7)", call);
}

enum outcome_status failure_refused(const struct child_job *job, const struct child_memory *memory)
{
	struct reason_text reason = reason_of(memory);
	const size_t which = memory->shared->which;
	const char *const work = job->n ? "measuring" : "--check";

	switch (memory->shared->last) {
	case CHILD_LOADS:
		if (which < job->n)
			job->targets[which]->reason = reason;
		failure_complain(which < job->n ? job->targets[which]->label : "a library",
				 &reason);
		if (memory->shared->error == -EINVAL)
			return OUTCOME_USAGE;
		return memory->shared->error == -EDOM ? OUTCOME_NO_INPUT : OUTCOME_NOT_FOUND;
	case CHILD_OPENS:
		if (memory->shared->error == -EAGAIN)
			explain_sandbox(&reason);
		failure_complain(job->options.need == CPUCYCLES_NEED_ANY ? work : "-r", &reason);
		return memory->shared->error == -ENOTSUP ? OUTCOME_NO_COUNTER : OUTCOME_FAILED;
	default:
		failure_complain(work, &reason);
		return OUTCOME_FAILED;
	}
}

enum outcome_status failure_not_linked(int error, bool of_target)
{
	const bool unread =
		error == -ENOENT || error == -EACCES || error == -EISDIR || error == -EPROTOTYPE;

	if (error == -EDOM)
		return OUTCOME_NO_INPUT;
	return of_target && unread ? OUTCOME_NOT_FOUND : OUTCOME_FAILED;
}
