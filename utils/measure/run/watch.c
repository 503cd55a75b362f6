/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "watch.h"
#include "load.h"
#include "memory.h"
#include "raw-clock.h"
#include "signals.h"
#include "spent.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* How often the parent wakes up. Seldom, because each time takes a CPU from another process,
 * perhaps from the child. */
#define LOOK_NS 250000000

/* The functions read nothing, and what they print does not mix with the results. */
static void redirect(void)
{
	int null = open("/dev/null", O_RDONLY);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		if (null > STDERR_FILENO)
			close(null);
	}
	dup2(STDERR_FILENO, STDOUT_FILENO);
}

static pid_t start(const struct child_job *job, const struct child_memory *memory,
		   const struct raw *raw)
{
	const pid_t child = signals_fork();

	if (child == 0) {
		signals_give_back();
		streams_give_back();
		raw_leave(raw);
		/* The child is in the background of its terminal, and may print there. */
		signal(SIGTTOU, SIG_IGN);
		redirect();
		if (job->program)
			memory_start(job, memory);
		else
			child_work(job, memory, load_targets);
	}
	return child;
}

/* Counters by which the parent sees progress. */
struct beat {
	int phase;
	size_t which, pairs, rounds;
};

static struct beat beat_of(const struct child_memory *memory)
{
	return (struct beat){
		.phase = memory->shared->phase,
		.which = memory->shared->which,
		.pairs = memory->meter->run.pairs,
		.rounds = memory->meter->run.rounds,
	};
}

static bool beats_equal(const struct beat *a, const struct beat *b)
{
	return a->phase == b->phase && a->which == b->which && a->pairs == b->pairs &&
	       a->rounds == b->rounds;
}

/* A meter gives a sign for each sample: a call, or a batch of up to 20 short ones. What it does for
 * itself between two samples takes less than OWN_NS. Before the first round, it times batches if
 * one call takes 1/1000 of its budget at most. */
#define OWN_NS 20000000
#define BATCH_PART 50

/* After Ctrl-C, a process may go on for this long until it judges its samples. */
#define STOP_NS 1000000000

/* Where no function is called, the time-out of a function does not apply: allow NO_CALL_NS. Judging
 * takes less than ROUND_NS for each round. */
#define NO_CALL_NS UINT64_C(60000000000)
#define ROUND_NS 100000

/* Without a sign for longer than this, the child is given up. */
static uint64_t limit_ns(const struct child_job *job, const struct child_memory *memory,
			 const struct beat *beat, uint64_t timeout_ns)
{
	if (beat->phase == CHILD_JUDGES)
		return NO_CALL_NS + beat->rounds * ROUND_NS;
	if (memory_at(job, memory) == job->n)
		return timeout_ns > NO_CALL_NS ? timeout_ns : NO_CALL_NS;
	if (beat->phase != CHILD_MEASURES)
		return timeout_ns;
	return timeout_ns + OWN_NS + (beat->rounds == 0 ? job->plan.budget_ns / BATCH_PART : 0);
}

static uint64_t look_ns(uint64_t timeout_ns)
{
	uint64_t ns = timeout_ns / 4 + 1;

	return timeout_ns && ns < LOOK_NS ? ns : LOOK_NS;
}

/* Since when the child has given no sign. */
struct silence {
	struct beat last;
	struct spent spent;
};

static void listen(struct silence *silence, const struct beat *beat, uint64_t now_ns,
		   uint64_t step_ns)
{
	spent_add(&silence->spent, now_ns, step_ns);
	if (!beats_equal(beat, &silence->last))
		silence->spent.ns = 0;
	silence->last = *beat;
}

/* Whether to end the child now because a signal has asked for it. A run ends after the round that
 * it is in, and its samples count. A test for leaks has no verdict then. *asked_ns: since when; 0:
 * a signal has not asked. */
static bool is_to_end(const struct child_job *job, const struct child_memory *memory, int phase,
		      uint64_t now_ns, uint64_t *asked_ns)
{
	if (!signals_asked())
		return false;
	memory->meter->run.stop = true;
	if (*asked_ns == 0)
		*asked_ns = now_ns;
	return signals_must_end() || child_tests_leak(job) ||
	       (phase != CHILD_JUDGES && now_ns - *asked_ns > STOP_NS);
}

/* Wait until the child has ended, or has to. Returns why it has to; WATCH_DONE: it has ended. */
static enum watch_end wait_for(pid_t child, const struct child_job *job,
			       const struct child_memory *memory, uint64_t timeout_ns,
			       struct progress *progress, struct watched *watched)
{
	struct silence silence = { .last = beat_of(memory), .spent.looked_ns = raw_clock_ns() };
	enum watch_end end = WATCH_DONE;
	uint64_t asked_ns = 0;
	int code;

	while (!signals_has_ended(child, &code)) {
		const struct beat beat = beat_of(memory);
		const uint64_t ns = raw_clock_ns();

		listen(&silence, &beat, ns, look_ns(timeout_ns));
		if (timeout_ns && silence.spent.ns > limit_ns(job, memory, &beat, timeout_ns))
			end = WATCH_HUNG;
		if (is_to_end(job, memory, beat.phase, ns, &asked_ns) || end == WATCH_HUNG)
			break;
		progress_show(progress, job, memory, ns);
		signals_sleep(look_ns(timeout_ns));
	}
	watched->silent_ns = silence.spent.ns;
	watched->stopped = code == CLD_STOPPED || code == CLD_TRAPPED;
	/* Ctrl-C may have met the child before it left the parent's group. */
	return signals_asked() ? WATCH_INTERRUPTED : end;
}

void watch_run(const struct child_job *job, const struct child_memory *memory,
	       const struct raw *raw, uint64_t timeout_ns, struct progress *progress,
	       struct watched *watched)
{
	pid_t child = start(job, memory, raw);
	int status;

	*watched = (struct watched){
		.end = WATCH_NOT_STARTED,
		.timeout_ns = timeout_ns,
		.error = -errno,
	};
	if (child < 0)
		return;
	watched->end = wait_for(child, job, memory, timeout_ns, progress, watched);
	signals_reap(child, true, &status);
	watched->error = 0;
	/* It may have finished its job while it was being ended, or crash after it. */
	if (memory->shared->phase == CHILD_IS_DONE)
		watched->end = WATCH_DONE;
	else if (watched->end == WATCH_DONE)
		watched->end = WATCH_CRASHED;
	if (WIFSIGNALED(status))
		watched->signal = WTERMSIG(status);
	else
		watched->status = WEXITSTATUS(status);
}
