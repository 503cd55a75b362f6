/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The first call at an odd moment of a program's life:
 *   MOMENT=NAME moments
 *   moments            prints the names
 * Exit status: 0, 1 if a promise is broken, 77 impossible here. A moment at the end of the program
 * sets the status itself; 3 means that the moment did not come. */

#include "config.h"

#include "cpucycles.h"
#include "faults.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#if !defined(__STDC_NO_THREADS__) && defined(__has_include)
#if __has_include(<threads.h>)
#include <threads.h>
#define HAVE_C11_THREADS
#endif
#endif
#ifdef __linux__
#include <sys/syscall.h>
#endif

#define STEPS 100000000
#define NEVER_CAME 3

extern char **environ;
int early_called(void);

static void promise(bool holds, const char *what)
{
	if (holds)
		return;
	printf("broken: %s\n", what);
	fflush(stdout);
	_exit(1);
}

static _Noreturn void impossible(const char *why)
{
	puts(why);
	fflush(stdout);
	_exit(77);
}

/* Counts never fall, and they rise within a bounded number of calls. */
static void count(void)
{
	const long long first = cpucycles();
	long long last = first;

	for (int i = 0; last == first; i++) {
		const long long next = cpucycles();

		promise(next >= last, "counts decrease");
		promise(i < STEPS, "counts stand still");
		last = next;
	}
}

static void count_well(void)
{
	sigset_t before, now;

	memset(&before, 0, sizeof before);
	pthread_sigmask(SIG_BLOCK, NULL, &before);
	count();
	promise(strcmp(cpucycles_implementation(), "default-zero"), "nothing counts");
	memset(&now, 0, sizeof now);
	pthread_sigmask(SIG_BLOCK, NULL, &now);
	promise(!memcmp(&now, &before, sizeof now), "the signal mask is what it was");
}

static void expect_well(pid_t child, const char *what)
{
	int status = -1;

	promise(child > 0 && waitpid(child, &status, 0) == child, "a child");
	if (WIFSIGNALED(status))
		printf("signal %d: ", WTERMSIG(status));
	if (status == 77 << 8)
		_exit(77);
	promise(status == 0, what);
}

/* Another program counts at its start, and then this one counts. */
static const char *own_path(void)
{
	static char path[4096];
	const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);

	if (length < 0)
		impossible("no /proc/self/exe");
	path[length] = 0;
	return path;
}

static char plain_name[] = "moments", plain_moment[] = "MOMENT=main";
static char *const plain[] = { plain_name, NULL };

/* What this process executes is told another moment, and finds all other variables as they are:
 * there may be any number of them. The entry changes before a vfork, because setenv allocates. */
static void prepare_plain(void)
{
	for (char **e = environ; *e; e++)
		if (!strncmp(*e, "MOMENT=", 7))
			*e = plain_moment;
}

/* The variables MANY_1, MANY_2, ... are as many as MANY says, if it is set. */
static void expect_variables(void)
{
	const char *many = getenv("MANY");
	long there = 0;

	for (char **e = environ; *e; e++)
		there += !strncmp(*e, "MANY_", 5);
	promise(!many || there == atol(many), "every variable has come along");
}

static void in_main(void)
{
	expect_variables();
	count_well();
}

/* At the end */

static void count_and_leave(void)
{
	count_well();
	_exit(0);
}

static void in_atexit(void)
{
	promise(!atexit(count_and_leave), "atexit");
	exit(NEVER_CAME);
}

static void in_destructor(void)
{
	exit(NEVER_CAME);
}

static void in_constructor(void)
{
	promise(early_called(), "the constructor of another library has counted");
	count_well();
}

/* In threads */

static void *count_in_thread(void *unused)
{
	count_well();
	return unused;
}

static void run_thread(void *(*run)(void *))
{
	pthread_t thread;

	promise(!pthread_create(&thread, NULL, run, NULL), "a thread");
	promise(!pthread_join(thread, NULL), "its end");
}

static volatile bool came;

static void at_thread_end(void *unused)
{
	(void)unused;
	count_well();
	came = true;
}

static void *set_key(void *unused)
{
	pthread_key_t key;

	promise(!pthread_key_create(&key, at_thread_end), "a key");
	pthread_setspecific(key, plain_name);
	return unused;
}

static void in_key_destructor(void)
{
	run_thread(set_key);
	promise(came, "the key's destructor has run");
	count_well();
}

/* C++ registers destructors of thread_local objects with this. Not every libc has it. */
extern int __cxa_thread_atexit_impl(void (*call)(void *), void *object, void *dso)
	__attribute__((weak));
extern void *__dso_handle __attribute__((weak));

static void *set_tls_destructor(void *unused)
{
	__cxa_thread_atexit_impl(at_thread_end, NULL, &__dso_handle);
	return unused;
}

static void in_tls_destructor(void)
{
	if (!__cxa_thread_atexit_impl)
		impossible("this libc has no thread-local destructors");
	run_thread(set_tls_destructor);
	promise(came, "the destructor has run");
	count_well();
}

static void *be_cancelled(void *unused)
{
	pthread_cleanup_push(at_thread_end, NULL);
	pthread_cancel(pthread_self());
	pthread_testcancel();
	pthread_cleanup_pop(0);
	return unused;
}

static void in_cleanup(void)
{
	run_thread(be_cancelled);
	promise(came, "the cleanup handler has run");
	count_well();
}

static void in_c11_thread(void)
{
#ifdef HAVE_C11_THREADS
	thrd_t thread;
	int result = -1;

	promise(thrd_create(&thread, (thrd_start_t)(void (*)(void))count_in_thread, NULL) ==
			thrd_success,
		"a thread of C11");
	promise(thrd_join(thread, &result) == thrd_success, "its end");
	count_well();
#else
	impossible("no threads of C11 here");
#endif
}

/* RDTSC faults, and so do the clocks of the vDSO, in this thread and in threads that it makes. */

static void count_by_syscall(void)
{
	count_well();
	promise(!strstr(cpucycles_implementation(), "tsc"), "the TSC is not used");
}

static void *count_by_syscall_in_thread(void *unused)
{
	pid_t child;

	count_by_syscall();
	child = fork();
	if (child == 0) {
		count_by_syscall();
		_exit(0);
	}
	expect_well(child, "a thread's child counts");
	return unused;
}

static void without_tsc(void)
{
	pid_t child;

	if (!forbid_tsc())
		impossible("RDTSC can't be made fault here");
	child = fork();
	if (child == 0) {
		run_thread(count_by_syscall_in_thread);
		count_by_syscall();
		_exit(0);
	}
	expect_well(child, "a child counts");
	run_thread(count_by_syscall_in_thread);
	count_by_syscall();
}

static pthread_t first_thread;

static void *count_without_first(void *unused)
{
	pid_t child;

	/* The process's first thread has ended, so /proc shows its id as a zombie. */
	promise(!pthread_join(first_thread, NULL), "the first thread ends");
	count_well();
	run_thread(count_in_thread);
	child = fork();
	if (child == 0)
		count_and_leave();
	expect_well(child, "a child of the second thread counts");
	_exit(0);
	return unused;
}

static void end_first_thread(void)
{
	pthread_t thread;

	first_thread = pthread_self();
	promise(!pthread_create(&thread, NULL, count_without_first, NULL), "a thread");
	pthread_exit(NULL);
}

static void after_first_thread(void)
{
	end_first_thread();
}

static void before_first_thread_ends(void)
{
	count_well();
	end_first_thread();
}

/* In children */

static void between_fork_and_exec(void)
{
	const char *self = own_path();
	pid_t child = fork();

	if (child == 0) {
		count_well();
		prepare_plain();
		execve(self, plain, environ);
		_exit(1);
	}
	expect_well(child, "a child counts, and so does what it executes");
	count_well();
}

static volatile int vfork_broken;

/* Not promise(), which prints: the child must not use its parent's standard output. */
static void count_as_guest(void)
{
	const long long first = cpucycles();

	vfork_broken = 1;
	for (long i = 0; i < STEPS && vfork_broken; i++)
		if (cpucycles() > first)
			vfork_broken = 0;
}

__attribute__((noinline)) static pid_t vfork_count_exec(const char *self)
{
	pid_t child = vfork();

	if (child == 0) {
		count_as_guest();
		if (vfork_broken)
			_exit(1);
		execve(self, plain, environ);
		_exit(1);
	}
	return child;
}

static const int guarded[] = { SIGILL, SIGFPE, SIGBUS, SIGSEGV, SIGSYS, SIGTRAP };
static struct sigaction actions_before[sizeof guarded / sizeof guarded[0]];

static void remember_actions(void)
{
	for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++)
		sigaction(guarded[i], NULL, &actions_before[i]);
}

static void expect_actions(void)
{
	for (size_t i = 0; i < sizeof guarded / sizeof guarded[0]; i++) {
		struct sigaction now;

		sigaction(guarded[i], NULL, &now);
		promise(now.sa_handler == actions_before[i].sa_handler,
			"dispositions are what they were");
	}
}

static void in_vfork_child(void)
{
	long long (*const before)(void) = cpucycles;
	const char *self = own_path();

	prepare_plain();
	remember_actions();
	expect_well(vfork_count_exec(self), "a vfork child counts, and so does what it executes");
	promise(cpucycles == before, "and has selected nothing");
	expect_actions();
	count_well();
	expect_well(vfork_count_exec(self), "and so does one after its parent's first call");
	count_well();
}

static void in_spawned(void)
{
	posix_spawnattr_t attributes;
	sigset_t all;
	pid_t child = -1;

	prepare_plain();
	sigfillset(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setsigmask(&attributes, &all);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
	promise(!posix_spawn(&child, own_path(), NULL, &attributes, plain, environ), "posix_spawn");
	expect_well(child, "a spawned program counts at its start");
	posix_spawnattr_destroy(&attributes);
	count_well();
}

#ifdef __linux__

static char clone_stack[1 << 18] __attribute__((aligned(64)));

static int count_in_clone(void *unused)
{
	(void)unused;
	count_as_guest();
	_exit(vfork_broken);
}

/* The child shares memory and thread-local storage with its parent. */
static void in_clone_with_memory(void)
{
	long long (*const before)(void) = cpucycles;

	pid_t child;

	remember_actions();
	child = clone(count_in_clone, clone_stack + sizeof clone_stack,
		      CLONE_VM | CLONE_VFORK | SIGCHLD, NULL);
	if (child < 0)
		impossible("clone is refused here");
	expect_well(child, "a clone counts");
	promise(cpucycles == before, "and has selected nothing");
	expect_actions();
	count_well();
}

/* A process of its own, of which libc does not know. If kcmp is allowed, the child selects for
 * itself. */
static int count_well_in_clone(void *unused)
{
	long long (*const before)(void) = cpucycles;

	(void)unused;
	count();
	if (syscall(SYS_kcmp, getpid(), getppid(), 1, 0, 0) >= 0)
		promise(cpucycles != before, "a clone has selected");
	_exit(0);
}

static void in_clone(void)
{
	pid_t child = clone(count_well_in_clone, clone_stack + sizeof clone_stack, SIGCHLD, NULL);

	if (child < 0)
		impossible("clone is refused here");
	expect_well(child, "a clone lives");
	count_well();
}

#endif

static const struct {
	const char *name;
	void (*run)(void);
} moments[] = {
	{ "main", in_main },
	{ "constructor", in_constructor },
	{ "atexit", in_atexit },
	{ "destructor", in_destructor },
	{ "key-destructor", in_key_destructor },
	{ "tls-destructor", in_tls_destructor },
	{ "cleanup-handler", in_cleanup },
	{ "c11-thread", in_c11_thread },
	{ "without-tsc", without_tsc },
	{ "after-first-thread", after_first_thread },
	{ "before-first-thread-ends", before_first_thread_ends },
	{ "between-fork-and-exec", between_fork_and_exec },
	{ "vfork-child", in_vfork_child },
	{ "spawned", in_spawned },
#ifdef __linux__
	{ "clone-with-memory", in_clone_with_memory },
	{ "clone", in_clone },
#endif
};

int main(void)
{
	const char *wanted = getenv("MOMENT");

	for (size_t i = 0; i < sizeof moments / sizeof moments[0]; i++) {
		if (!wanted) {
			puts(moments[i].name);
		} else if (!strcmp(wanted, moments[i].name)) {
			moments[i].run();
			return 0;
		}
	}
	return wanted != NULL && early_called() >= 0;
}
