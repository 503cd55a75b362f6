/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* First calls that meet each other:
 *   race threads N   in N fresh processes, 8 threads make the first call at once
 *   race signals N   in N processes, handlers that count interrupt the first call
 *   race fork N      in N processes, children are made while another thread is in it
 * Prints one line; exit status 0, 1 if something promised does not hold, 2 usage. */

#include "config.h"

#include "cpucycles.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define THREADS 8
#define READS 1000
#define CHILDREN 8

/* What hangs is killed. */
#define PROCESS_SECONDS 60

static _Noreturn void broken(const char *what)
{
	printf("broken: %s\n", what);
	fflush(stdout);
	_exit(1);
}

/*
 * The pointer changes once, from one good function to another, so a plain load is
 * right on every machine the library is for; but a thread that has not made a first
 * call itself reads what another writes, which ThreadSanitizer would report.
 */
static long long count(void)
{
	return __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE)();
}

/* A thread's first count may be 0, where counts are each thread's own; more are not. */
static bool counts(void)
{
	for (int i = 0; i < READS; i++)
		if (count() != 0)
			return true;
	return false;
}

/* Threads */

static atomic_int ready;
static const char *names[THREADS];

static void *first_call(void *number)
{
	const int i = *(int *)number;
	long long last;

	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < THREADS)
		;
	last = count();
	for (int j = 0; j < READS; j++) {
		long long now = count();

		if (now < last)
			broken("a thread's counts decrease");
		if (now - last > INT64_C(1000000000000))
			broken("a difference of more than a trillion cycles");
		last = now;
	}
	names[i] = cpucycles_implementation();
	return NULL;
}

static void one_threads(void)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];

	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		if (pthread_create(&threads[i], NULL, first_call, &numbers[i]))
			broken("no thread");
	}
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < THREADS; i++)
		if (strcmp(names[i], names[0]))
			broken("threads disagree on the counter");
	if (!strcmp(names[0], "default-zero"))
		broken("nothing counts");
}

/* Signals */

static atomic_int handled;

static void on_signal(int sig)
{
	(void)sig;
	if (!counts())
		broken("no count in a handler");
	atomic_fetch_add(&handled, 1);
}

static atomic_bool done;

static void *shoot(void *target)
{
	while (!atomic_load(&done)) {
		pthread_kill(*(pthread_t *)target, SIGSEGV);
		pthread_kill(*(pthread_t *)target, SIGUSR1);
		usleep(100);
	}
	return NULL;
}

static void handle(int sig)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

static void one_signals(void)
{
	const struct itimerval often = { { 0, 300 }, { 0, 50 } }, never = { { 0, 0 }, { 0, 0 } };
	pthread_t self = pthread_self(), shooter;
	long long before;

	handle(SIGALRM);
	handle(SIGSEGV);
	handle(SIGUSR1);
	if (pthread_create(&shooter, NULL, shoot, &self))
		broken("no thread");
	setitimer(ITIMER_REAL, &often, NULL);
	before = count();
	if (before == 0)
		broken("no count");
	/* ThreadSanitizer delivers signals only at a call that may wait. */
	while (atomic_load(&handled) < 10) {
		count();
		usleep(1);
	}
	setitimer(ITIMER_REAL, &never, NULL);
	atomic_store(&done, true);
	pthread_join(shooter, NULL);
	if (!strcmp(cpucycles_implementation(), "default-zero"))
		broken("nothing counts");
}

/* Fork */

static void *call_and_go_on(void *unused)
{
	atomic_store(&ready, 1);
	while (!atomic_load(&done))
		count();
	return unused;
}

static void child_counts(void)
{
	long long first, last;

	alarm(PROCESS_SECONDS / 2);
	first = last = count();
	for (long i = 0; last == first; i++) {
		last = count();
		if (last < first || i > 100000000)
			broken("a child's counts decrease or stand still");
	}
	_exit(0);
}

static void one_fork(void)
{
	pthread_t thread;
	pid_t children[CHILDREN];

	if (pthread_create(&thread, NULL, call_and_go_on, NULL))
		broken("no thread");
	while (!atomic_load(&ready))
		;
	for (int i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		if (children[i] == 0)
			child_counts();
	}
	for (int i = 0; i < CHILDREN; i++) {
		int status = -1;

		if (children[i] > 0)
			waitpid(children[i], &status, 0);
		if (status)
			broken(WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "a child failed");
	}
	atomic_store(&done, true);
	pthread_join(thread, NULL);
}

/* All of them, each in a process that has never counted */

static const struct {
	const char *name;
	void (*run)(void);
} races[] = {
	{ "threads", one_threads },
	{ "signals", one_signals },
	{ "fork", one_fork },
};

static void (*find(const char *name))(void)
{
	for (size_t i = 0; i < sizeof races / sizeof races[0]; i++)
		if (!strcmp(name, races[i].name))
			return races[i].run;
	return NULL;
}

static void start_fresh(const char *name)
{
	char self[4096];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		broken("no /proc/self/exe");
	self[length] = 0;
	execl(self, self, name, (char *)NULL);
	broken("cannot start again");
}

/* Its own watch: ITIMER_REAL is the test's. */
static int wait_for(pid_t child)
{
	int status;

	for (long i = 0; waitpid(child, &status, WNOHANG) == 0; i++) {
		if (i == PROCESS_SECONDS * 2000L)
			kill(child, SIGKILL);
		usleep(500);
	}
	return status;
}

int main(int argc, char *argv[])
{
	void (*run)(void) = argc > 1 ? find(argv[1]) : NULL;
	int processes = argc == 3 ? atoi(argv[2]) : 0, failed = 0;

	if (run && argc == 2) {
		run();
		return 0;
	}
	if (!run || processes <= 0) {
		fputs("usage: race threads|signals|fork N\n", stderr);
		return 2;
	}
	for (int i = 0; i < processes; i++) {
		pid_t child = fork();
		int status;

		if (child == 0)
			start_fresh(argv[1]);
		status = wait_for(child);
		if (status == 0)
			continue;
		failed++;
		printf("# process %d: %s %d\n", i, WIFSIGNALED(status) ? "signal" : "status",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	}
	printf("%d of %d processes failed\n", failed, processes);
	return failed != 0;
}
