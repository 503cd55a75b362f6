/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Count in a process that forbids itself system calls, for scripts:
 *   sandboxed CASE ANSWER [NAME...]
 * CASE is one of
 * - first: the filter, then the first call;
 * - threads: the same, with THREADS first calls at once;
 * - sent: like first, with signals of the guard pending;
 * - later: the first call, the filter, then reads of this thread and first reads of others;
 * - end: threads end that have read.
 * ANSWER is one of
 * - allow: the process is killed at any call except the named ones and those of this program;
 * - kill, trap, eperm, enosys: what happens at one of the named calls;
 * - none: no filter.
 * Two calls of getpriority() of MARK enclose the work under the filter, for strace. The output is
 * the counter, its source, and the status of the cache. Exit status: 0, 1 if a promise is broken, 2
 * usage, 77 impossible here. */

#include "config.h"

#include "cpucycles.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#ifdef HAVE_LINUX_SECCOMP_H

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#define THREADS 4
#define STEPS 20000000
#define HANG_SECONDS 120
#define MARK 7357 /* a user who does not exist */

/* From linux/seccomp.h of Linux 4.14. */
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000U
#endif

/* The calls that cpucycles-sandbox(7) lists, and their names on other architectures. */
static const struct {
	const char *name;
	long number;
} calls[] = {
#define CALL(name) #name, SYS_##name
	{ CALL(clock_nanosleep) },
	{ CALL(close) },
	{ CALL(exit_group) },
	{ CALL(faccessat) },
	{ CALL(fcntl) },
	{ CALL(futex) },
	{ CALL(getdents64) },
	{ CALL(getpid) },
	{ CALL(getpriority) },
	{ CALL(gettid) },
	{ CALL(ioctl) },
	{ CALL(kill) },
	{ CALL(madvise) },
	{ CALL(munmap) },
	{ CALL(nanosleep) },
	{ CALL(openat) },
	{ CALL(perf_event_open) },
	{ CALL(prlimit64) },
	{ CALL(read) },
	{ CALL(rt_sigaction) },
	{ CALL(rt_sigprocmask) },
	{ CALL(rt_sigqueueinfo) },
	{ CALL(rt_sigreturn) },
	{ CALL(rt_tgsigqueueinfo) },
	{ CALL(sched_yield) },
	{ CALL(sigaltstack) },
	{ CALL(tgkill) },
	{ CALL(write) },
	{ CALL(clock_gettime) },
	{ CALL(gettimeofday) },
	{ CALL(geteuid) },
	{ CALL(fstatfs) },
#ifdef SYS_openat2
	{ CALL(openat2) },
#endif
#ifdef SYS_access
	{ CALL(access) },
#endif
#ifdef SYS_clock_gettime64
	{ CALL(clock_gettime64) },
#endif
#ifdef SYS_clock_nanosleep_time64
	{ CALL(clock_nanosleep_time64) },
#endif
#ifdef SYS_faccessat2
	{ CALL(faccessat2) },
#endif
#ifdef SYS_fcntl64
	{ CALL(fcntl64) },
#endif
#ifdef SYS_fstat
	{ CALL(fstat) },
#endif
#ifdef SYS_fstat64
	{ CALL(fstat64) },
#endif
#ifdef SYS_fstatfs64
	{ CALL(fstatfs64) },
#endif
#ifdef SYS_futex_time64
	{ CALL(futex_time64) },
#endif
#ifdef SYS_tkill
	{ CALL(tkill) },
#endif
#ifdef SYS_geteuid32
	{ CALL(geteuid32) },
#endif
#ifdef SYS_mmap
	{ CALL(mmap) },
#endif
#ifdef SYS_mmap2
	{ CALL(mmap2) },
#endif
#ifdef SYS_newfstatat
	{ CALL(newfstatat) },
#endif
#ifdef SYS_open
	{ CALL(open) },
#endif
#ifdef SYS_statx
	{ CALL(statx) },
#endif
#undef CALL
};

/* The calls of this program. It yields while it waits for another thread, which may need this
 * CPU. */
static const char *const own[] = { "getpriority", "write", "exit_group", "sched_yield" };

#define LISTED_MAX (sizeof calls / sizeof calls[0])

static long listed[LISTED_MAX];
static size_t n_listed;
static unsigned listed_answer, other_answer = SECCOMP_RET_ALLOW;
static bool filtered = true;

static _Noreturn void end(int status, const char *text)
{
	ssize_t ignored = write(STDOUT_FILENO, text, strlen(text));

	(void)ignored;
	_exit(status);
}

static void promise(bool holds, const char *what)
{
	if (!holds)
		end(1, what);
}

static bool list(const char *name)
{
	for (size_t i = 0; i < LISTED_MAX; i++) {
		if (strcmp(calls[i].name, name))
			continue;
		if (n_listed < LISTED_MAX)
			listed[n_listed++] = calls[i].number;
		return true;
	}
	return false;
}

static void mark(void)
{
	getpriority(PRIO_USER, MARK);
}

/* Install the filter in all threads of this process. */
static void restrict_calls(void)
{
	struct sock_filter filter[2 * LISTED_MAX + 2];
	struct sock_fprog program = { 0, filter };

	filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
							     offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < n_listed; i++) {
		filter[program.len++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K,
								     (unsigned)listed[i], 0, 1);
		filter[program.len++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, listed_answer);
	}
	filter[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, other_answer);
	if (filtered &&
	    (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	     syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program)))
		end(77, "no sandbox here\n");
	mark();
}

/* The pointer changes once. A plain load would be right, but ThreadSanitizer would report it. */
static long long count(void)
{
	return __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE)();
}

/* Counts never fall, and they rise within a bounded number of calls. */
static void counts(void)
{
	long long first = count(), last = first;

	for (int i = 0; last == first; i++) {
		long long next = count();

		promise(next >= last, "counts decrease\n");
		promise(i < STEPS, "counts stand still\n");
		last = next;
	}
}

static _Noreturn void report(void)
{
	char line[160];

	counts();
	mark();
	snprintf(line, sizeof line, "%s %s %s\n", cpucycles_implementation(),
		 cpucycles_selection_source(), cpucycles_cache_status());
	end(0, line);
}

/* Threads that exist before the filter and do not end, because ending needs more calls than are
 * allowed. */

static atomic_int ready, go, done;
static int full[2]; /* a pipe without room */
static bool count_before;
static pthread_key_t after;

static _Noreturn void stay(void)
{
	atomic_fetch_add(&done, 1);
	for (;;) {
		ssize_t ignored = write(full[1], "", 1);

		(void)ignored;
	}
}

static void *wait_and_count(void *unused)
{
	if (count_before)
		counts();
	atomic_fetch_add(&ready, 1);
	while (!atomic_load(&go))
		sched_yield();
	if (count_before) {
		pthread_setspecific(after, &after);
		return unused; /* and its destructors run */
	}
	counts();
	stay();
}

/* Destructors run in the order of their keys, so that of the library has run before. */
static void after_library(void *unused)
{
	(void)unused;
	stay();
}

/* Whole blocks first: to fill a pipe byte by byte takes 65536 calls. */
static void fill(void)
{
	static const char block[4096];

	if (pipe(full) || fcntl(full[1], F_SETFL, O_NONBLOCK))
		end(77, "no pipe\n");
	for (size_t size = sizeof block; size > 0; size /= sizeof block)
		while (write(full[1], block, size) > 0)
			;
	fcntl(full[1], F_SETFL, 0);
}

static void start_threads(void)
{
	fill();
	for (int i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, wait_and_count, NULL))
			end(77, "no thread\n");
	}
	while (atomic_load(&ready) < THREADS)
		usleep(100);
}

static void release_threads(void)
{
	atomic_store(&go, 1);
	while (atomic_load(&done) < THREADS)
		sched_yield();
}

static void first(void)
{
	restrict_calls();
	report();
}

static void on_fault(int sig)
{
	_exit(128 + sig);
}

/* The program has a handler on an alternate stack, so the selection calls sigaltstack. */
static void threads(void)
{
	struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_ONSTACK };

	sigemptyset(&action.sa_mask);
	sigaction(SIGSEGV, &action, NULL);
	start_threads();
	restrict_calls();
	release_threads();
	report();
}

/* One signal to the thread, and one to the process. */
static void sent(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigaddset(&set, SIGILL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	raise(SIGTRAP);
	kill(getpid(), SIGILL);
	restrict_calls();
	report();
}

static void later(void)
{
	counts();
	start_threads();
	restrict_calls();
	release_threads();
	report();
}

/* One of the threads selects, so that it has pages of probed events when it ends. */
static void ending(void)
{
	count_before = true;
	start_threads();
	counts();
	if (pthread_key_create(&after, after_library))
		end(77, "no key\n");
	restrict_calls();
	release_threads();
	report();
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "first", first }, { "threads", threads }, { "sent", sent },
	{ "later", later }, { "end", ending },
};

static void (*find(const char *name))(void)
{
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (!strcmp(name, cases[i].name))
			return cases[i].run;
	return NULL;
}

static bool set_answer(const char *name)
{
	listed_answer = SECCOMP_RET_ALLOW;
	if (!strcmp(name, "allow")) {
		other_answer = SECCOMP_RET_KILL_PROCESS;
		for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
			list(own[i]);
	} else if (!strcmp(name, "kill")) {
		listed_answer = SECCOMP_RET_KILL_PROCESS;
	} else if (!strcmp(name, "trap")) {
		listed_answer = SECCOMP_RET_TRAP;
	} else if (!strcmp(name, "eperm")) {
		listed_answer = SECCOMP_RET_ERRNO | EPERM;
	} else if (!strcmp(name, "enosys")) {
		listed_answer = SECCOMP_RET_ERRNO | ENOSYS;
	} else if (!strcmp(name, "none")) {
		filtered = false;
	} else {
		return false;
	}
	return true;
}

int main(int argc, char *argv[])
{
	void (*run)(void) = argc > 2 ? find(argv[1]) : NULL;

	if (!run || !set_answer(argv[2]))
		end(2, "usage: sandboxed first|threads|sent|later|end ANSWER [NAME...]\n");
	/* A call that this architecture does not have needs no answer. */
	for (int i = 3; i < argc; i++)
		if (!list(argv[i]) && listed_answer != SECCOMP_RET_ALLOW)
			end(77, "no such call here\n");
	alarm(HANG_SECONDS);
	run();
}

#else

int main(void)
{
	puts("no sandbox here");
	return 77;
}

#endif
