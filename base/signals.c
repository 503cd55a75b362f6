/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "signals.h"
#include "raw-clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* This program wakes up so often while a child works. Seldom, because each time takes a CPU from
 * somebody, perhaps from the child. */
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

/* The first HEEDED of them end this program also if its parent left them blocked, mostly by
 * mistake. Otherwise no user could end it. */
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

void signals_prepare(void)
{
	struct sigaction action = { .sa_handler = note };
	static bool prepared;
	sigset_t ours;

	if (prepared)
		return;
	prepared = true;
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

void signals_give_back(void)
{
	struct sigaction action = { .sa_handler = SIG_DFL };

	sigemptyset(&action.sa_mask);
	sigaction(SIGCHLD, &action, NULL);
	for (size_t i = 0; i < ENDINGS; i++)
		take_over(endings[i], &action);
	sigprocmask(SIG_SETMASK, &outer_mask, NULL);
}

void signals_end_with(pid_t parent)
{
#ifdef __linux__
	prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
	if (getppid() != parent)
		_exit(0);
}

pid_t signals_fork(void)
{
	const pid_t parent = getpid();
	pid_t child;

	/* Else the child, too, would print what stands in the buffer. */
	fflush(stdout);
	child = fork();
	if (child == 0) {
		setpgid(0, 0);
		signals_end_with(parent);
	} else if (child > 0) {
		setpgid(child, child);
	}
	return child;
}

bool signals_has_ended(pid_t child, int *code)
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

static void sleep_open(uint64_t ns, int fd)
{
	struct timespec time = { .tv_nsec = (long)ns };
	sigset_t open = outer_mask;
	fd_set readable;

	sigdelset(&open, SIGCHLD);
	for (size_t i = 0; i < HEEDED; i++)
		sigdelset(&open, endings[i]);
	FD_ZERO(&readable);
	if (fd >= 0)
		FD_SET((unsigned)fd, &readable); /* musl divides it by a size */
	pselect(fd + 1, &readable, NULL, NULL, &time, &open);
}

void signals_wait(uint64_t ns, int fd)
{
	const bool before = asked;
	uint64_t begin;

	sleep_open(ns, fd < FD_SETSIZE ? fd : -1);
	if (before || !asked)
		return;
	/* timeout(1) sends a signal to a program and to its group: both count as one. The end of a
	 * child wakes this process up, too. */
	begin = raw_clock_ns();
	for (ns = 0; ns < TWICE_NS; ns = raw_clock_ns() - begin)
		sleep_open(TWICE_NS - ns, -1);
	times = 1;
}

void signals_sleep(uint64_t ns)
{
	signals_wait(ns, -1);
}

int signals_reap(pid_t child, bool group, int *status)
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

bool signals_apart(void (*work)(void *), void *argument)
{
	const pid_t child = signals_fork();
	int status;

	if (child == 0) {
		work(argument);
		_exit(0);
	}
	if (child < 0) {
		work(argument);
		return true;
	}
	while (!signals_must_end() && !signals_has_ended(child, &status))
		signals_sleep(LOOK_NS);
	signals_reap(child, true, &status);
	return !signals_must_end();
}

bool signals_asked(void)
{
	return asked != 0;
}

bool signals_must_end(void)
{
	return asked && (asked != SIGINT || times > 1);
}

bool signals_release(void)
{
	/* Those that wait are noted before the handlers go. */
	sigprocmask(SIG_SETMASK, &outer_mask, NULL);
	signals_give_back();
	if (signals_must_end())
		raise(asked);
	return asked == SIGINT;
}
