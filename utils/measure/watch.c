/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "memory.h"
#include "watch.h"
#include "raw-clock.h"
#include "streams.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/prctl.h>
#endif

/* The parent wakes up so often. Seldom, because each time takes a CPU from somebody, perhaps from
 * the child. */
#define LOOK_NS 250000000

/* A signal that is sent twice arrives within this time. */
#define TWICE_NS 20000000

/* The signal that asked this program to end; 0: none yet. And how many did. */
static volatile sig_atomic_t asked, times;

/* As they were when the program started. The child gets them back. */
static sigset_t outer_mask;

/* Those that ask to end. Ctrl-C prints what there is; the others end the program, as they would
 * without a handler, but nothing is left behind. */
static const int endings[] = { SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,   SIGALRM,
			       SIGUSR1, SIGUSR2, SIGXCPU, SIGVTALRM, SIGPROF };
#define ENDINGS (sizeof endings / sizeof endings[0])

/* So many of them, the first ones, are heeded also if whoever started this program left them
 * blocked, mostly by mistake: nobody could end it otherwise. */
#define HEEDED 4

static void note(int number)
{
	if (number == SIGCHLD)
		return;
	asked = number;
	times = times + 1;
}

/* A signal that is ignored stays so: a shell ignores SIGINT for its background jobs, and nohup(1)
 * SIGHUP. One for which a preloaded library has a handler, such as a profiler, is that library's.
 * False: it was left so. */
static bool take_over(int number, const struct sigaction *action)
{
	struct sigaction before;

	return !sigaction(number, NULL, &before) &&
	       (before.sa_handler == SIG_DFL || before.sa_handler == note) &&
	       !sigaction(number, action, NULL);
}

void watch_prepare(void)
{
	struct sigaction action = { .sa_handler = note };
	sigset_t ours;

	sigemptyset(&action.sa_mask);
	sigemptyset(&ours);
	sigaddset(&ours, SIGCHLD);
	/* Whoever started this program may have ignored SIGCHLD. Then no child could be waited
	 * for. */
	sigaction(SIGCHLD, &action, NULL);
	for (size_t i = 0; i < ENDINGS; i++)
		if (take_over(endings[i], &action))
			sigaddset(&ours, endings[i]);
	/* They arrive in pselect only, so none comes between a look and the wait. */
	sigprocmask(SIG_BLOCK, &ours, &outer_mask);
}

static void give_back(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigemptyset(&action.sa_mask);
	sigaction(SIGCHLD, &action, NULL);
	for (size_t i = 0; i < ENDINGS; i++)
		take_over(endings[i], &action);
	sigprocmask(SIG_SETMASK, &outer_mask, NULL);
}

/* Nothing of the child may outlive its parent. Elsewhere, the parent ends the child unless it is
 * killed itself. */
static void die_with(pid_t parent)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(0);
}

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

/* In a process that this one has just forked. */
static void begin_child(pid_t parent)
{
	setpgid(0, 0);
	die_with(parent);
}

static pid_t fork_quietly(void)
{
	pid_t child;

	/* Else the child, too, would print what stands in the buffer. */
	fflush(stdout);
	child = fork();
	if (child > 0)
		setpgid(child, child);
	return child;
}

/* A process group of its own: Ctrl-C then reaches the parent alone, which also ends what a function
 * has started. */
static pid_t start(const struct child_job *job, const struct child_memory *memory,
		   const struct raw *raw)
{
	const pid_t parent = getpid(), child = fork_quietly();

	if (child == 0) {
		begin_child(parent);
		give_back();
		streams_give_back();
		raw_leave(raw);
		/* The child is in the background of its terminal, and may print there. */
		signal(SIGTTOU, SIG_IGN);
		redirect();
		if (job->program)
			memory_start(job, memory);
		child_work(job, memory, load_targets);
	}
	return child;
}

/* What moves as long as the child gets on. */
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

bool watch_has_ended(pid_t child, int *code)
{
	siginfo_t info = { 0 };

	*code = 0;
	if (waitid(P_PID, (id_t)child, &info, WEXITED | WSTOPPED | WNOHANG | WNOWAIT))
		return errno != EINTR;
	if (info.si_pid != child)
		return false;
	*code = info.si_code;
	return *code != CLD_STOPPED && *code != CLD_TRAPPED;
}

void watch_sleep(uint64_t ns)
{
	struct timespec time = { .tv_nsec = (long)ns };
	sigset_t open = outer_mask;

	sigdelset(&open, SIGCHLD);
	for (size_t i = 0; i < HEEDED; i++)
		sigdelset(&open, endings[i]);
	pselect(0, NULL, NULL, NULL, &time, &open);
}

/* A meter gives a sign for each sample: a call, or a batch of up to 20 short ones. What it does for
 * itself between two samples takes less than OWN_NS. Before the first round, it times batches if
 * one call takes 1/1000 of its budget at most. */
#define OWN_NS 20000000
#define BATCH_PART 50

/* Where no function is called, the time that is given to one is not meant. */
#define NOBODY_NS UINT64_C(60000000000)

/* Without a sign for longer than this, the child is given up. */
static uint64_t limit_ns(const struct child_job *job, const struct child_memory *memory,
			 const struct beat *beat, uint64_t timeout_ns)
{
	if (memory_at(job, memory) == job->n)
		return timeout_ns > NOBODY_NS ? timeout_ns : NOBODY_NS;
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
	uint64_t looked_ns, ns;
};

/* Of a time in which this process did not run either, because somebody has stopped both or the
 * machine, not more than that of two looks counts. */
static void listen(struct silence *silence, const struct beat *beat, uint64_t now_ns,
		   uint64_t step_ns)
{
	const uint64_t passed = now_ns - silence->looked_ns;

	silence->ns += passed < 2 * step_ns ? passed : 2 * step_ns;
	silence->looked_ns = now_ns;
	if (!beats_equal(beat, &silence->last))
		silence->ns = 0;
	silence->last = *beat;
}

/* Wait until the child has ended, or has to. Returns why it has to; WATCH_DONE: it has ended. */
static enum watch_end wait_for(pid_t child, const struct child_job *job,
			       const struct child_memory *memory, uint64_t timeout_ns,
			       struct progress *progress, struct watched *watched)
{
	struct silence silence = { .last = beat_of(memory), .looked_ns = raw_clock_ns() };
	enum watch_end end = WATCH_DONE;
	int code;

	while (!watch_has_ended(child, &code)) {
		const struct beat beat = beat_of(memory);
		const uint64_t ns = raw_clock_ns();

		listen(&silence, &beat, ns, look_ns(timeout_ns));
		if (timeout_ns && silence.ns > limit_ns(job, memory, &beat, timeout_ns))
			end = WATCH_HUNG;
		if (asked || end == WATCH_HUNG)
			break;
		progress_show(progress, job, memory, ns);
		watch_sleep(look_ns(timeout_ns));
	}
	watched->silent_ns = silence.ns;
	watched->stopped = code == CLD_STOPPED || code == CLD_TRAPPED;
	/* Ctrl-C may have met the child before it left the parent's group. */
	return asked ? WATCH_INTERRUPTED : end;
}

int watch_reap(pid_t child, bool group, int *status)
{
	pid_t got;

	*status = 0;
	if (group) {
		kill(-child, SIGKILL);
		kill(child, SIGKILL);
	}
	do
		got = waitpid(child, status, 0);
	while (got < 0 && errno == EINTR);
	return got < 0 ? -errno : 0;
}

/* timeout(1) sends a signal twice: to a program and to its group. That is one. */
static void take_for_one(void)
{
	const uint64_t begin = raw_clock_ns();

	/* The end of the child wakes this process up, too. */
	for (uint64_t ns = 0; ns < TWICE_NS; ns = raw_clock_ns() - begin)
		watch_sleep(TWICE_NS - ns);
	times = 1;
}

bool watch_apart(void (*work)(void *), void *argument)
{
	const sig_atomic_t before = times;
	const pid_t parent = getpid(), child = fork_quietly();
	int status;

	if (child == 0) {
		begin_child(parent);
		work(argument);
		_exit(0);
	}
	if (child < 0) {
		work(argument);
		return true;
	}
	while (times == before && !watch_has_ended(child, &status))
		watch_sleep(LOOK_NS);
	watch_reap(child, true, &status);
	if (times == before)
		return true;
	if (!before)
		take_for_one();
	return false;
}

bool watch_asked(void)
{
	return asked != 0;
}

bool watch_must_end(void)
{
	return asked && (asked != SIGINT || times > 1);
}

bool watch_release(void)
{
	/* Those that wait are noted before the handlers go. */
	sigprocmask(SIG_SETMASK, &outer_mask, NULL);
	give_back();
	if (watch_must_end())
		raise(asked);
	return asked == SIGINT;
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
	watch_reap(child, true, &status);
	watched->error = 0;
	if (asked)
		take_for_one();
	/* It may have finished its job while it was being ended, or crash behind it. */
	if (memory->shared->phase == CHILD_IS_DONE)
		watched->end = WATCH_DONE;
	else if (watched->end == WATCH_DONE)
		watched->end = WATCH_CRASHED;
	if (WIFSIGNALED(status))
		watched->signal = WTERMSIG(status);
	else
		watched->status = WEXITSTATUS(status);
}
