/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A signal between any two instructions of a piece of code: before the first one in the first round,
 * before the second one in the second round, and so on up to the end. A tracer steps the process there
 * (PTRACE_SINGLESTEP) and sends the signal, whose handler looks and does what a real one may do. So each
 * moment is met, and none by chance.
 *
 * This shows the order of the instructions, which is what the compiler made of the source, as the
 * interrupted thread itself and its handlers see it. The order in which another CPU sees the stores
 * is another matter, and on some architectures another order: nothing here tells that.
 */

#ifndef CPUCYCLES_STEPPED_H
#define CPUCYCLES_STEPPED_H

#include "unit.h"
#include "faults.h"

#ifdef __linux__
#include <errno.h>
#include <sys/ptrace.h>
#endif

/* The steps grow with the square of it. On an architecture whose atomic operations are loops that a
 * trap makes begin again, stepping never comes to the end of one. */
#define STEPPED_MAX 2000

struct stepped {
	void (*prepare)(void);   /* before each round; not interrupted */
	void (*run)(void);       /* interrupted */
	void (*interrupt)(void); /* in the handler, at most once in a round */
	void (*check)(void);     /* after each round; not interrupted */
};

static const struct stepped *stepped_now;
static volatile sig_atomic_t stepped_inside, stepped_struck;

__attribute__((unused)) static void stepped_handler(int sig)
{
	(void)sig;
	if (!stepped_inside)
		return;
	stepped_struck = 1;
	stepped_now->interrupt();
}

/* In the traced process: all rounds of one piece of code. The instructions that were interrupted. */
__attribute__((unused)) static long stepped_rounds(const struct stepped *s)
{
	long rounds = 0;

	stepped_now = s;
	do {
		s->prepare();
		stepped_struck = 0;
		stepped_inside = 1;
		/* The tracer counts the rounds since the first one. */
		kill(getpid(), rounds++ ? SIGSTOP : SIGTSTP);
		s->run();
		stepped_inside = 0;
		s->check();
	} while (stepped_struck);
	return rounds - 1;
}

#ifdef __linux__

/* Until it ends: its wait status. */
static int stepped_trace(pid_t child)
{
	long round = 0, left = -1;
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		const int sig = WSTOPSIG(status);
		long pass_on = 0, error;

		if (sig == SIGTSTP || sig == SIGSTOP) {
			ptrace(PTRACE_SETOPTIONS, child, NULL, (void *)(long)PTRACE_O_EXITKILL);
			left = round = sig == SIGTSTP ? 0 : round + 1;
		} else if (sig != SIGTRAP || left < 0) {
			pass_on = sig;
		}
		if (round > STEPPED_MAX) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			unit_skip_child("stepping does not come to the end of the code here");
		}
		if (pass_on || left <= 0) {
			error = ptrace(PTRACE_CONT, child, NULL, (void *)(pass_on ? pass_on : SIGUSR1));
			left = pass_on ? left : -1;
		} else {
			error = ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
			left--;
		}
		if (error) {
			kill(child, SIGKILL);
			waitpid(child, &status, 0);
			unit_skip_child("this kernel does not step programs on this architecture");
		}
	}
	return status;
}

/* In a child of the test (unit_child_passes): run in a process that is traced. */
__attribute__((unused)) static void stepped_in_child(void (*run)(void))
{
	pid_t child;
	int status;

	if (THREAD_SANITIZED)
		unit_skip_child("ThreadSanitizer makes thousands of instructions of each store");
	child = fork();
	unit_expect(child >= 0, "a process to trace");
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			unit_skip_child("no process may be traced here, as in qemu-user");
		signal(SIGUSR1, stepped_handler);
		alarm(UNIT_CHILD_SECONDS);
		run();
		fflush(stdout);
		_exit(0);
	}
	status = stepped_trace(child);
	if (WIFEXITED(status))
		_exit(WEXITSTATUS(status));
	unit_expect(false, "the traced process ends by itself");
}

#else

__attribute__((unused)) static void stepped_in_child(void (*run)(void))
{
	(void)run;
	unit_skip_child("no PTRACE_SINGLESTEP on this system");
}

#endif

#endif
