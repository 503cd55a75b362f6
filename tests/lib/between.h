/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Stops a thread before and after each of its system calls (PTRACE_SYSCALL), while another thread
 * of the same process acts.
 *
 * The test's process is the tracer. It forks a process with two threads. The first thread runs the
 * code under test and is the only one that is traced. The second thread, the actor, waits for
 * orders: functions that the tracer names at a stop. The first thread goes on when the actor is
 * done. So every interleaving happens exactly where the tracer wants it, under any load.
 */

#ifndef CPUCYCLES_BETWEEN_H
#define CPUCYCLES_BETWEEN_H

#include "unit.h"

#include <pthread.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#define BETWEEN_STOPS_MAX 4000

/* PTRACE_GET_SYSCALL_INFO, since Linux 5.3. Not all libcs declare it. */
#define BETWEEN_GET_SYSCALL_INFO 0x420e

enum { BETWEEN_ENTRY = 1, BETWEEN_EXIT = 2 };

struct between_info {
	uint8_t op; /* BETWEEN_ENTRY or BETWEEN_EXIT */
	uint8_t padding[3];
	uint32_t arch;
	uint64_t instruction, stack;
	uint64_t number, arguments[6]; /* at the entry only */
};

struct between_stop {
	long number;   /* the system call's; -1: the code under test has ended */
	int sig;       /* of rt_sigaction(2); 0: another call */
	bool sets;     /* rt_sigaction(2) with a new disposition */
	bool entering; /* the call has not begun; otherwise it has ended */
};

struct between {
	void (*prepare)(void); /* in the traced process, before its threads start */
	void (*run)(void);     /* the code under test */
	void (*check)(void);   /* in the same thread, at the end, not traced */
	/* In the tracer at each stop. The last stop is the one at the end. False: no more stops. */
	bool (*stopped)(unsigned stop);
};

/* The stops of the last run, and how many there were. */
static struct between_stop between_stops[BETWEEN_STOPS_MAX];
static unsigned between_count;

/* The signals that the code under test was stopped by: bit N for signal N. */
static uint64_t between_signals;

/* Orders to the actor, and its answers. */
static int between_orders[2], between_answers[2];
static bool between_lost; /* the actor no longer answers */

struct between_order {
	void (*act)(unsigned argument);
	unsigned argument;
};

/* In the tracer, at a stop: the actor calls act(argument). */
static void between_act(void (*act)(unsigned argument), unsigned argument)
{
	const struct between_order order = { act, argument };
	char done;

	if (write(between_orders[1], &order, sizeof order) != sizeof order ||
	    read(between_answers[0], &done, 1) != 1)
		between_lost = true;
}

static void *between_actor(void *unused)
{
	struct between_order order;

	while (read(between_orders[0], &order, sizeof order) == sizeof order) {
		order.act(order.argument);
		if (write(between_answers[1], "", 1) != 1)
			break;
	}
	return unused;
}

/* The code under test has ended. No other thread has this number, so the call fails. */
static void between_mark_end(void)
{
	syscall(SYS_tgkill, -1, -1, 0);
}

static _Noreturn void between_traced(const struct between *b)
{
	pthread_t actor;

	for (int sig = 1; sig < 32; sig++)
		signal(sig, SIG_DFL);
	alarm(UNIT_CHILD_SECONDS);
	close(between_orders[1]);
	close(between_answers[0]);
	b->prepare();
	unit_expect(!pthread_create(&actor, NULL, between_actor, NULL), "a thread");
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		unit_skip_child("no process may be traced here, as under qemu-user");
	syscall(SYS_tgkill, getpid(), (int)syscall(SYS_gettid), SIGSTOP);
	b->run();
	between_mark_end();
	b->check();
	fflush(stdout);
	_exit(0);
}

/* False: the kernel does not tell which call this is. */
static bool between_look(pid_t child, struct between_stop *stop)
{
	static struct between_stop entered;
	struct between_info info = { 0 };

	if (ptrace((int)BETWEEN_GET_SYSCALL_INFO, child, (void *)sizeof info, &info) <= 0)
		return false;
	if (info.op == BETWEEN_ENTRY) {
		entered = (struct between_stop){ .number = (long)info.number, .entering = true };
		if (entered.number == SYS_rt_sigaction) {
			entered.sig = (int)info.arguments[0];
			entered.sets = info.arguments[1] != 0;
		}
		if (entered.number == SYS_tgkill && (int)info.arguments[0] == -1)
			entered.number = -1;
	} else {
		entered.entering = false;
	}
	*stop = entered;
	return true;
}

/* The process goes on to its next stop. The first stop is the SIGSTOP before the code under test.
 * Returns false when the process is no longer traced. */
static bool between_next(pid_t child, const struct between *b, int sig)
{
	struct between_stop *stop = &between_stops[between_count];

	if (sig == SIGSTOP)
		ptrace(PTRACE_SETOPTIONS, child, NULL,
		       (void *)(long)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD));
	if (sig != (SIGTRAP | 0x80)) {
		if (sig != SIGSTOP)
			between_signals |= UINT64_C(1) << sig;
		ptrace(PTRACE_SYSCALL, child, NULL, (void *)(long)(sig == SIGSTOP ? 0 : sig));
		return true;
	}
	if (!between_look(child, stop)) {
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		unit_skip("this kernel does not tell a tracer the system call");
	}
	if (!b->stopped(between_count) || stop->number < 0) {
		ptrace(PTRACE_DETACH, child, NULL, NULL);
		return false;
	}
	assert_true(++between_count < BETWEEN_STOPS_MAX);
	ptrace(PTRACE_SYSCALL, child, NULL, NULL);
	return true;
}

/* Run it in a new process. Returns the process's wait status. Skips the test where no process may
 * be traced. */
static int between_run(const struct between *b)
{
	int status = -1;
	pid_t child;

	between_count = 0;
	between_signals = 0;
	between_lost = false;
	fflush(stdout);
	assert_int_equal(pipe(between_orders) | pipe(between_answers), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0)
		between_traced(b);
	close(between_answers[1]);
	while (waitpid(child, &status, 0) == child && WIFSTOPPED(status))
		if (!between_next(child, b, WSTOPSIG(status)))
			break;
	if (WIFSTOPPED(status))
		waitpid(child, &status, 0);
	close(between_orders[0]);
	close(between_orders[1]);
	close(between_answers[0]);
	unit_skip_with(status);
	return status;
}

/* A stop in words. The last two texts stay valid. */
static const char *between_place(unsigned n)
{
	static char text[2][64];
	static unsigned next;
	const struct between_stop *stop = &between_stops[n];
	char *place = text[next++ % 2];

	if (n > between_count || stop->number < 0)
		snprintf(place, sizeof text[0], "stop %u, at the end", n);
	else if (stop->sig)
		snprintf(place, sizeof text[0], "stop %u, %s rt_sigaction(%s, %s)", n,
			 stop->entering ? "before" : "after", strsignal(stop->sig),
			 stop->sets ? "new" : "NULL");
	else
		snprintf(place, sizeof text[0], "stop %u, %s call %ld", n,
			 stop->entering ? "before" : "after", stop->number);
	return place;
}

#endif
