/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* First calls at the same time as each other or as some event, each in N fresh processes:
 *   race threads N [THREADS]  THREADS (8) of them make the first call at once
 *   race signals N            handlers that count interrupt the first call
 *   race startup N            a timer of 1 kHz runs since before exec, and its handler counts
 *   race fork N               children are made while another thread is in its first call
 *   race vfork N              the same with vfork(2); the child counts
 *   race cancel N             the thread is cancelled in its first call, at a point or anywhere
 *   race faults N             other threads fault all the time, and their handlers jump out
 *   race faults-tsc N         the same, and RDTSC faults too
 *   race environment N        another thread changes the environment
 *   race environment-handler N  a handler counts that interrupts a change of the environment
 *   race namespace N          process 1 of a PID namespace is in its first call, and another thread
 *                             of it makes a child in a namespace of its own
 *   race counter              print the name of the counter that these races use
 * Without N, or with 0, a race runs once in this process (startup does not). Each race prints one
 * line. Exit status: 0, 1 if a promise is broken, 2 usage. */

#include "config.h"

#include "cpucycles.h"
#include "faults.h"
#include "namespaces.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define THREADS 8
#define THREADS_MAX 1024
#define READS 1000
#define CHILDREN 8

/* A process that takes longer hangs, and is killed. */
#ifndef PROCESS_SECONDS
#define PROCESS_SECONDS 240
#endif

static int thread_count = THREADS;

static _Noreturn void broken(const char *what)
{
	printf("broken: %s\n", what);
	fflush(stdout);
	_exit(1);
}

/*
 * The pointer changes once, from one good function to another, so programs may load it plainly on
 * every machine that the library supports. Here the load is atomic, because ThreadSanitizer would
 * report a plain load of a word that another thread writes.
 */
static long long count(void)
{
	return __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE)();
}

/* If each thread has counts of its own, a thread's first count may be 0. Later counts may not. */
static bool counts(void)
{
	for (int i = 0; i < READS; i++)
		if (count() != 0)
			return true;
	return false;
}

static void counts_really(void)
{
	if (!strcmp(cpucycles_implementation(), "default-zero"))
		broken("nothing counts");
	if (!counts())
		broken("no count");
}

static void start(pthread_t *thread, void *(*run)(void *), void *argument)
{
	if (pthread_create(thread, NULL, run, argument))
		broken("no thread");
}

/* Wait until all threads are here. */
static atomic_int ready;

static void meet(int n)
{
	atomic_fetch_add(&ready, 1);
	while (atomic_load(&ready) < n)
		sched_yield(); /* lets the other threads arrive */
}

/* Threads */

/* The readings of one thread: counts between times of a clock, to compare both. */
struct seen {
	struct timespec outer[2], inner[2];
	long long counts[2];
	const char *name;
};

static struct seen seen[THREADS_MAX];

static double elapsed(const struct timespec t[2])
{
	return (double)(t[1].tv_sec - t[0].tv_sec) + (double)(t[1].tv_nsec - t[0].tv_nsec) / 1e9;
}

static void *first_call(void *mine)
{
	struct seen *s = mine;
	long long last;

	meet(thread_count);
	clock_gettime(CLOCK_MONOTONIC, &s->outer[0]);
	s->counts[0] = last = count();
	clock_gettime(CLOCK_MONOTONIC, &s->inner[0]);
	for (int j = 0; j < READS; j++) {
		long long now = count();

		if (now < last)
			broken("a thread's counts decrease");
		last = now;
	}
	clock_gettime(CLOCK_MONOTONIC, &s->inner[1]);
	s->counts[1] = count();
	clock_gettime(CLOCK_MONOTONIC, &s->outer[1]);
	if (s->counts[1] < last)
		broken("a thread's last count decreases");
	s->name = cpucycles_implementation();
	return NULL;
}

/* Counts and time agree within a factor of four and 100000 cycles, because persecond is an
 * estimate. A counter of the thread's own cycles stands still while the thread waits. */
static void compare_with_clock(const struct seen *s)
{
	const double persecond = (double)cpucycles_persecond();
	const double cycles = (double)(s->counts[1] - s->counts[0]);

	if (cycles > elapsed(s->outer) * persecond * 4 + 1e5)
		broken("a thread counts faster than the clock");
	if (cpucycles_hz() && cycles < elapsed(s->inner) * persecond / 4 - 1e5)
		broken("a thread counts slower than the clock");
}

static void one_threads(void)
{
	pthread_t threads[THREADS_MAX];

	for (int i = 0; i < thread_count; i++)
		start(&threads[i], first_call, &seen[i]);
	for (int i = 0; i < thread_count; i++)
		pthread_join(threads[i], NULL);
	for (int i = 0; i < thread_count; i++) {
		if (strcmp(seen[i].name, seen[0].name))
			broken("threads disagree on the counter");
		compare_with_clock(&seen[i]);
	}
	counts_really();
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

/* ThreadSanitizer takes a SIGSEGV that a thread sent for a fault of the program. So it runs the
 * handler at once, even where the signal interrupts ThreadSanitizer's own code. The handler may
 * then wait for ever for a lock that this code holds. */
#if THREAD_SANITIZED
#define SENT_AS_FAULT SIGUSR2
#else
#define SENT_AS_FAULT SIGSEGV
#endif

static void *shoot(void *target)
{
	while (!atomic_load(&done)) {
		pthread_kill(*(pthread_t *)target, SENT_AS_FAULT);
		pthread_kill(*(pthread_t *)target, SIGUSR1);
		usleep(100);
	}
	return NULL;
}

static void handle(int sig, void (*handler)(int))
{
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_RESTART };

	sigemptyset(&action.sa_mask);
	sigaction(sig, &action, NULL);
}

static void set_timer(int first_us, int every_us)
{
	setitimer(ITIMER_REAL, &(struct itimerval){ { 0, every_us }, { 0, first_us } }, NULL);
}

/* ThreadSanitizer delivers signals only at a call that may wait. */
static void count_until_handled(int n)
{
	while (atomic_load(&handled) < n) {
		count();
		usleep(1);
	}
}

static void one_signals(void)
{
	pthread_t self = pthread_self(), shooter;

	handle(SIGALRM, on_signal);
	handle(SENT_AS_FAULT, on_signal);
	handle(SIGUSR1, on_signal);
	start(&shooter, shoot, &self);
	set_timer(50, 300);
	if (count() == 0)
		broken("no count");
	count_until_handled(10);
	set_timer(0, 0);
	atomic_store(&done, true);
	pthread_join(shooter, NULL);
	counts_really();
}

/* Start-up: exec keeps the timer and the mask that blocks its signal. */

static bool is_startup(const char *name)
{
	return !strcmp(name, "startup");
}

static void block_alarm(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(how, &set, NULL);
}

static void before_exec(const char *name)
{
	if (!is_startup(name))
		return;
	block_alarm(SIG_BLOCK);
	set_timer(1, 1000);
}

static int handled_before_main;

/* Runs before main. A signal is pending by now, so its handler makes the first call. */
__attribute__((constructor)) static void let_the_timer_in(void)
{
	sigset_t now;

	sigprocmask(SIG_BLOCK, NULL, &now);
	if (sigismember(&now, SIGALRM) != 1)
		return;
	handle(SIGALRM, on_signal);
	block_alarm(SIG_UNBLOCK);
	handled_before_main = atomic_load(&handled);
}

static void one_startup(void)
{
	if (handled_before_main < 1)
		broken("no handler made the first call");
	count_until_handled(5);
	set_timer(0, 0);
	counts_really();
}

/* Fork */

static void *call_and_go_on(void *unused)
{
	atomic_fetch_add(&ready, 1);
	while (!atomic_load(&done))
		count();
	return unused;
}

static void count_and_exit(void)
{
	long long first, last;

	first = last = count();
	for (long i = 0; last == first; i++) {
		last = count();
		if (last < first || i > 100000000)
			broken("a child's counts decrease or stand still");
	}
	_exit(0);
}

static void expect_well(pid_t child)
{
	int status = -1;

	if (child > 0)
		waitpid(child, &status, 0);
	if (status)
		broken(WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "a child failed");
}

/* A child of the child can lack the thread that was selecting, too. */
static void child_counts(void)
{
	pid_t child;

	alarm(PROCESS_SECONDS / 2);
	child = fork();
	if (child == 0)
		count_and_exit();
	if (!counts())
		broken("no count in a child");
	expect_well(child);
	count_and_exit();
}

static void one_fork(void)
{
	pthread_t thread;
	pid_t children[CHILDREN];

	start(&thread, call_and_go_on, NULL);
	while (!atomic_load(&ready))
		;
	for (int i = 0; i < CHILDREN; i++) {
		children[i] = fork();
		if (children[i] == 0)
			child_counts();
	}
	for (int i = 0; i < CHILDREN; i++)
		expect_well(children[i]);
	atomic_store(&done, true);
	pthread_join(thread, NULL);
}

/* vfork: the child writes its parent's memory. Sanitizers and emulators make it a plain fork. */

static const int guarded[] = { SIGILL, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGTRAP };

__attribute__((noinline)) static pid_t vfork_and_count(void)
{
	pid_t child = vfork();

	if (child == 0) {
		alarm(PROCESS_SECONDS / 2);
		_exit(counts() ? 0 : 1);
	}
	return child;
}

static void one_vfork(void)
{
	struct sigaction before[sizeof guarded / sizeof guarded[0]], now;
	pthread_t thread;

	for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++)
		sigaction(guarded[i], NULL, &before[i]);
	start(&thread, call_and_go_on, NULL);
	while (!atomic_load(&ready))
		;
	for (int i = 0; i < CHILDREN; i++)
		expect_well(vfork_and_count());
	counts_really();
	atomic_store(&done, true);
	pthread_join(thread, NULL);
	for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++) {
		sigaction(guarded[i], NULL, &now);
		if (now.sa_handler != before[i].sa_handler &&
		    !faults_may_stay(cpucycles_implementation(), guarded[i]))
			broken("a handler stays in the parent");
	}
}

/* Cancellation */

static bool anywhere; /* asynchronous */
static long long (*unselected)(void);

/* A provisional answer would mean that the cancelled call still holds the lock. */
static void count_at_the_end(void *unused)
{
	(void)unused;
	counts_really();
	if (__atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE) == unselected)
		broken("a cancelled selection was left half done");
}

static void *call_until_cancelled(void *unused)
{
	if (anywhere)
		pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	pthread_cleanup_push(count_at_the_end, NULL);
	atomic_store(&ready, 1);
	count();
	for (;;)
		if (anywhere)
			count();
		else
			pthread_testcancel();
	pthread_cleanup_pop(0);
	return unused;
}

static void one_cancel(void)
{
	struct timespec span[2];
	pthread_t thread;
	double patience;

	/* A delay that differs from process to process, taken from the clock: up to half a
	 * millisecond, which is the time of a first call. */
	clock_gettime(CLOCK_MONOTONIC, &span[0]);
#ifdef __GLIBC__ /* musl up to 1.2.3 calls cleanup handlers with a stack that is not aligned */
	anywhere = span[0].tv_nsec % 2;
#endif
	unselected = cpucycles;
	patience = (double)(span[0].tv_nsec / 2 % 500) / 1e6;
	start(&thread, call_until_cancelled, NULL);
	while (!atomic_load(&ready))
		;
	clock_gettime(CLOCK_MONOTONIC, &span[0]);
	do
		clock_gettime(CLOCK_MONOTONIC, &span[1]);
	while (elapsed(span) < patience);
	pthread_cancel(thread);
	pthread_join(thread, NULL);
	counts_really();
	thread_count = 1;
	start(&thread, first_call, &seen[0]);
	pthread_join(thread, NULL);
}

/* Faults of the program's own */

#define FAULTING 4

static _Thread_local sigjmp_buf away;
static _Thread_local volatile unsigned long faults;
static atomic_int faulted;

static void jump_away(int sig)
{
	(void)sig;
	if (++faults % 16 == 0 && !counts())
		broken("no count in the handler of a fault");
	siglongjmp(away, 1);
}

static void *fault_all_the_time(void *unused)
{
	meet(FAULTING + thread_count);
	while (!atomic_load(&done)) {
		if (sigsetjmp(away, 1) == 0)
			fault_segv(NULL);
		if (faults == 100)
			atomic_fetch_add(&faulted, 1);
	}
	return unused;
}

static void *meet_and_count(void *unused)
{
	meet(FAULTING + thread_count);
	counts_really();
	return unused;
}

static void one_faults(void)
{
	pthread_t threads[FAULTING], callers[THREADS_MAX];
	struct sigaction now;

	if (fault_prepare())
		broken("no page to fault on");
	handle(SIGSEGV, jump_away);
	for (int i = 0; i < FAULTING; i++)
		start(&threads[i], fault_all_the_time, NULL);
	for (int i = 0; i < thread_count; i++)
		start(&callers[i], meet_and_count, NULL);
	for (int i = 0; i < thread_count; i++)
		pthread_join(callers[i], NULL);
	while (atomic_load(&faulted) < FAULTING)
		sched_yield();
	atomic_store(&done, true);
	for (int i = 0; i < FAULTING; i++)
		pthread_join(threads[i], NULL);
	sigaction(SIGSEGV, NULL, &now);
	if (now.sa_handler != jump_away && !faults_may_stay(cpucycles_implementation(), SIGSEGV))
		broken("the program's handler is gone");
}

static void one_faults_tsc(void)
{
	if (!forbid_tsc())
		_exit(77);
	one_faults();
}

/* The environment */

/* So many that the array moves, again and again. */
#define VARIABLES 300

static void *change_environment(void *cache)
{
	char name[32];

	atomic_fetch_add(&ready, 1);
	while (!atomic_load(&done)) {
		clearenv();
		if (cache)
			setenv("CPUCYCLES_CACHE", cache, 1);
		for (int i = 0; i < VARIABLES && !atomic_load(&done); i++) {
			snprintf(name, sizeof name, "RACE_%d", i);
			setenv(name, "1", 1);
		}
	}
	return NULL;
}

/* A copy that stays while the environment changes. */
static char *named_cache(void)
{
	const char *name = getenv("CPUCYCLES_CACHE");

	return name ? strdup(name) : NULL;
}

/* A number below most, from the clock. */
static long any_number(long most)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_nsec / 16 % most;
}

static void one_environment(void)
{
	pthread_t thread;

	start(&thread, change_environment, named_cache());
	while (!atomic_load(&ready))
		;
	for (volatile long i = any_number(20000); i > 0; i--)
		;
	counts_really();
	atomic_store(&done, true);
	pthread_join(thread, NULL);
}

static void count_and_end(int sig)
{
	(void)sig;
	count();
	_exit(counts() ? 0 : 1);
}

static void one_environment_handler(void)
{
	handle(SIGALRM, count_and_end);
	set_timer(20 + (int)any_number(200), 0);
	change_environment(named_cache());
}

/* A child with the id of the thread that is in its first call */

static void *count_in_namespace(void *unused)
{
	pid_t child;

	meet(2);
	child = namespace_fork();
	if (child == 0) {
		alarm(PROCESS_SECONDS / 2);
		counts_really();
		if (__atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE) == unselected)
			broken("a child makes no selection");
		_exit(0);
	}
	if (child < 0)
		_exit(77);
	expect_well(child);
	return unused;
}

static _Noreturn void be_process_one(void)
{
	pthread_t thread;

	start(&thread, count_in_namespace, NULL);
	meet(2);
	for (volatile long i = any_number(200000); i > 0; i--)
		;
	counts_really();
	pthread_join(thread, NULL);
	_exit(0);
}

static void one_namespace(void)
{
	pid_t child;

	unselected = cpucycles;
	child = namespace_fork();
	if (child == 0)
		be_process_one();
	if (child < 0)
		_exit(77);
	expect_well(child);
}

/* Not a race */

static void one_counter(void)
{
	puts(cpucycles_implementation());
}

/* All of them, each in a process that has never counted */

static const struct race {
	const char *name;
	void (*run)(void);
	bool forked; /* in a fork of the first process, which starts sooner than a program */
} races[] = {
	{ "threads", one_threads, false },
	{ "signals", one_signals, false },
	{ "startup", one_startup, false },
	{ "fork", one_fork, false },
	{ "vfork", one_vfork, false },
	{ "cancel", one_cancel, false },
	{ "faults", one_faults, false },
	{ "faults-tsc", one_faults_tsc, false },
	{ "environment", one_environment, true },
	{ "environment-handler", one_environment_handler, true },
	{ "namespace", one_namespace, true },
	{ "counter", one_counter, false },
};

static const struct race *find(const char *name)
{
	for (size_t i = 0; i < sizeof races / sizeof races[0]; i++)
		if (!strcmp(name, races[i].name))
			return &races[i];
	return NULL;
}

static void start_fresh(const char *name)
{
	char self[4096], threads[16];
	ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);

	if (length < 0)
		broken("no /proc/self/exe");
	self[length] = 0;
	snprintf(threads, sizeof threads, "%d", thread_count);
	before_exec(name);
	execl(self, self, name, "0", threads, (char *)NULL);
	broken("cannot start again");
}

/* A watch of the program's own, because the test uses ITIMER_REAL. */
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
	const struct race *race = argc > 1 ? find(argv[1]) : NULL;
	int processes = argc > 2 ? atoi(argv[2]) : 0, failed = 0;

	if (argc > 3)
		thread_count = atoi(argv[3]);
	if (!race || processes < 0 || argc > 4 || thread_count < 1 || thread_count > THREADS_MAX) {
		fputs("usage: race RACE [N [THREADS]]\n", stderr);
		return 2;
	}
	if (processes == 0) {
		race->run();
		return 0;
	}
	for (int i = 0; i < processes; i++) {
		int status;
		pid_t child;

		fflush(stdout);
		child = fork();
		if (child == 0 && race->forked) {
			race->run();
			_exit(0);
		}
		if (child == 0)
			start_fresh(race->name);
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
