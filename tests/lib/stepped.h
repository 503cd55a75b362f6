/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Runs a signal handler between each two instructions of a piece of code. No moment is left out,
 * and none depends on chance.
 *
 * A tracer lets the process run one instruction (PTRACE_SINGLESTEP) and then sends it a signal. The
 * handler forks. The child is the process that was interrupted there: the handler looks at its
 * state and does what a real handler may do, then the child runs the code to its end and checks the
 * result. The parent returns from the handler unchanged and runs the next instruction.
 *
 * The moments follow the order of the compiled instructions, as the interrupted thread and its
 * handlers see it. Another CPU may see the stores in another order on some architectures; nothing
 * here tests that.
 */

#ifndef CPUCYCLES_STEPPED_H
#define CPUCYCLES_STEPPED_H

#include "unit.h"
#include "faults.h"

#include <setjmp.h>
#include <signal.h>

#ifdef __linux__
#include <sys/ptrace.h>
#endif

/* On some architectures an atomic operation is a loop that starts again after a trap. Stepping
 * never reaches its end there. */
#define STEPPED_MAX 5000

struct stepped {
	void (*prepare)(void);   /* once; not interrupted */
	void (*run)(void);       /* interrupted */
	void (*interrupt)(void); /* in the handler */
	void (*check)(void);     /* at the end of each child, and of the parent */
};

static const struct stepped *stepped_now;
static volatile sig_atomic_t stepped_inside;
static long stepped_instructions;

static sigjmp_buf stepped_away;
static volatile sig_atomic_t stepped_may_leave;

/* Call a function which a handler may end by a jump. */
__attribute__((unused)) static void stepped_call(void (*function)(void))
{
	if (sigsetjmp(stepped_away, 0) == 0) {
		stepped_may_leave = 1;
		function();
	}
	stepped_may_leave = 0;
}

/* In the handler: end that function. Nothing happens before it begins and after it has ended. */
__attribute__((unused)) static void stepped_leave(void)
{
	if (stepped_may_leave)
		siglongjmp(stepped_away, 1);
}

__attribute__((unused)) static void stepped_handler(int sig)
{
	int status = -1;
	pid_t child;

	(void)sig;
	if (!stepped_inside)
		return;
	child = fork();
	if (child == 0) {
		alarm(UNIT_CHILD_SECONDS);
		stepped_inside = 0;
		stepped_instructions = -1;
		stepped_now->interrupt();
		return;
	}
	waitpid(child, &status, 0);
	if (status)
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	if (++stepped_instructions > STEPPED_MAX)
		unit_skip_child("stepping does not come to the end of the code here");
	kill(getpid(), SIGSTOP); /* the tracer takes over again */
}

/* In the traced process. How many instructions were interrupted. */
__attribute__((unused)) static long stepped_through(const struct stepped *s)
{
	stepped_now = s;
	s->prepare();
	stepped_instructions = 0;
	stepped_inside = 1;
	kill(getpid(), SIGTSTP); /* the tracer begins */
	s->run();
	stepped_inside = 0;
	s->check();
	if (stepped_instructions < 0)
		_exit(0); /* the child of a handler */
	return stepped_instructions;
}

#ifdef __linux__

/* A stop at the entry or the exit of a system call. */
#define STEPPED_SYSCALL (SIGTRAP | 0x80)

/* Let the process go on after a stop. The handler returns by a system call; at the exit of that
 * call the process is at the interrupted place again. */
static long stepped_next(pid_t child, int sig, bool *leaving)
{
	const bool at_exit = sig == STEPPED_SYSCALL && *leaving;

	*leaving = sig == STEPPED_SYSCALL && !at_exit;
	if (sig == SIGTSTP) {
		ptrace(PTRACE_SETOPTIONS, child, NULL,
		       (void *)(long)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD));
		return ptrace(PTRACE_CONT, child, NULL, (void *)(long)SIGUSR1);
	}
	if (sig == SIGSTOP || *leaving)
		return ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	if (at_exit)
		return ptrace(PTRACE_SINGLESTEP, child, NULL, NULL);
	return ptrace(PTRACE_CONT, child, NULL, (void *)(long)(sig == SIGTRAP ? SIGUSR1 : sig));
}

/* Until it ends: its wait status. */
static int stepped_trace(pid_t child)
{
	bool leaving = false;
	int status;

	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
		if (!stepped_next(child, WSTOPSIG(status), &leaving))
			continue;
		kill(child, SIGKILL);
		waitpid(child, &status, 0);
		unit_skip_child("this kernel does not step programs on this architecture");
	}
	return status;
}

/* In a child of the test (unit_child_passes): run in a process that is traced. */
__attribute__((unused)) static void stepped_in_child(void (*run)(void))
{
	pid_t child;
	int status;

	if (SANITIZED)
		unit_skip_child("a sanitizer makes many instructions of each store");
	child = fork();
	unit_expect(child >= 0, "a process to trace");
	if (child == 0) {
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			unit_skip_child("no process may be traced here, as under qemu-user");
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
