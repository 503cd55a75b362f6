/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* First calls under difficult conditions: small alternate stacks, other people's signals,
 * sandboxes. Each runs in a process of its own, with the real library. */

#include "config.h"

#include "unit.h"
#include "cpucycles.h"
#include "dispositions.h"
#include "environments.h"
#include "faults.h"
#include "made-cache.h"

#include <errno.h>
#include <pthread.h>

#ifdef HAVE_GETAUXVAL
#include <sys/auxv.h>
#endif

#define HANG_SECONDS 120

/* The stack that cpucycles-process(7) asks for, in addition to the frame of a signal. */
#define SELECTION_STACK 8192

#define AREA_SIZE (1 << 20)
#define PAINT 0xaa

/* The smallest alternate stack that the kernel accepts. */
static size_t smallest_stack(void)
{
#if defined(HAVE_GETAUXVAL) && defined(AT_MINSIGSTKSZ)
	size_t size = getauxval(AT_MINSIGSTKSZ);

	if (size > 2048)
		return size;
#endif
#ifdef MINSIGSTKSZ
	return (size_t)MINSIGSTKSZ; /* more than 2048 on ARM64 and SPARC */
#else
	return 2048;
#endif
}

/* Alternate stacks */

static unsigned char *area(void)
{
	void *memory =
		mmap(NULL, AREA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	unit_expect(memory != MAP_FAILED, "memory");
	memset(memory, PAINT, AREA_SIZE);
	return memory;
}

/* Set an alternate stack in the middle of the area. False: the kernel accepts none so small. */
static bool set_stack(unsigned char *memory, size_t size)
{
	stack_t stack = { .ss_sp = memory + AREA_SIZE / 2, .ss_size = size };

	return !sigaltstack(&stack, NULL);
}

static size_t painted(const unsigned char *memory)
{
	size_t n = 0;

	while (n < AREA_SIZE && memory[n] == PAINT)
		n++;
	return n;
}

static size_t small_size;

/* The frame of a fault must not be written to a stack without room for it. */
static void faults_on_small_stack_child(void)
{
	unsigned char *memory = area();
	stack_t before, now;

	if (THREAD_SANITIZED)
		unit_skip_child("ThreadSanitizer reads the clock itself");
	alarm(HANG_SECONDS);
	use_cache("none");
	if (!set_stack(memory, small_size)) {
		printf("# %zu bytes: the kernel takes no stack so small\n", small_size);
		return;
	}
	sigaltstack(NULL, &before);
	if (!forbid_tsc())
		unit_skip_child("RDTSC can't be made fault");
	cpucycles();
	sigaltstack(NULL, &now);
	printf("# %zu bytes: %s\n", small_size, cpucycles_implementation());
	unit_expect(!strcmp(cpucycles_implementation(), "default-syscall"),
		    "default-syscall is used");
	unit_expect(painted(memory) >= AREA_SIZE / 2, "nothing below the stack is touched");
	unit_expect(now.ss_sp == before.ss_sp && now.ss_size == before.ss_size &&
			    now.ss_flags == before.ss_flags,
		    "the alternate stack is what it was");
}

TEST(faults_on_small_stacks)
{
	const size_t sizes[] = { 2048, smallest_stack(), 4096, 8192 };

	for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
		small_size = sizes[i];
		unit_child_passes(faults_on_small_stack_child);
	}
}

static void on_signal(int sig)
{
	(void)sig;
	cpucycles();
}

static void first_call_on_stack(size_t size)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	unsigned char *memory = area();
	size_t lowest;

	if (!set_stack(memory, size))
		unit_skip_child("the kernel takes no stack so small");
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR1, &action, NULL);
	raise(SIGUSR1);
	lowest = painted(memory);
	printf("# %s, cache %s: %ld of %zu bytes used\n", cpucycles_implementation(),
	       cpucycles_cache_status(), (long)(AREA_SIZE / 2 + size) - (long)lowest, size);
	unit_expect(lowest < AREA_SIZE / 2 + size, "the handler ran there");
	unit_expect(lowest >= AREA_SIZE / 2, "nothing below the stack is touched");
}

static void need_usual_stack(void)
{
#ifndef __OPTIMIZE__
	unit_skip_child("without optimization more stack is needed");
#endif
	if (SANITIZED)
		unit_skip_child("sanitizers need more stack");
}

TEST_IN_CHILD(cached_on_small_stack)
{
	need_usual_stack();
	use_cache(make_cache("counters", ""));
	first_call_on_stack(SELECTION_STACK);
	unit_expect(!strcmp(cpucycles_cache_status(), "used"), "the cache is used");
}

TEST_IN_CHILD(probed_on_promised_stack)
{
	need_usual_stack();
	use_cache("none");
#ifdef __x86_64__
	/* Most of this stack stays unused. If symbols were bound at their first use (no -z now), it
	 * would not be enough. */
	first_call_on_stack(SELECTION_STACK);
#else
	first_call_on_stack(SELECTION_STACK + smallest_stack());
#endif
}

/* The last resort */

TEST_IN_CHILD(zero_from_cache)
{
	use_cache(make_cache("zero", "only=default-zero"));
	cpucycles();
	printf("# %s, cache %s\n", cpucycles_implementation(), cpucycles_cache_status());
	unit_expect(strcmp(cpucycles_implementation(), "default-zero"), "a real counter is used");
	unit_expect(!strcmp(cpucycles_cache_status(), "no-counter"), "the cache has none");
}

/* An environment that faults */

static size_t environment_now;

static void faulting_environment_child(void)
{
	printf("# %s\n", environments[environment_now].name);
	environments[environment_now].set();
	alarm(HANG_SECONDS);
	unit_expect(cpucycles() != 0 || cpucycles() != 0, "a count");
	unit_expect(strcmp(cpucycles_implementation(), "default-gettimeofday"),
		    "a counter that the environment does not choose");
	environments[environment_now].set();
	cpucycles_reselect();
	environments_set(environments_cache);
	cpucycles_reselect();
	unit_expect(!strcmp(cpucycles_implementation(), "default-gettimeofday"),
		    "a later selection hears a whole environment");
}

TEST(faulting_environments)
{
	for (environment_now = 0; environment_now < ENVIRONMENTS; environment_now++)
		unit_child_passes(faulting_environment_child);
}

/* Nothing has changed after a call */

#ifdef RAW_DISPOSITIONS

enum { TSC = 1, SIGSYS_TRAPS = 2, FAULTS = 4 };
enum { HANDLERS, IGNORED, DISPOSITIONS };
enum { OPEN, SOME_BLOCKED, ALL_BLOCKED, MASKS };
enum { NO_STACK, STACK, AUTODISARM, ON_STACK, STACKS };

static int faults_now, dispositions_now, mask_now, stack_now;
static const char *cache_now;

static void set_faults(void)
{
	if (faults_now & TSC && !forbid_tsc())
		_exit(UNIT_CHILD_SKIPPED);
	if (faults_now & SIGSYS_TRAPS && sandbox(SYS_perf_event_open, SECCOMP_RET_TRAP))
		_exit(UNIT_CHILD_SKIPPED);
}

static void set_mask(void)
{
	sigset_t set;

	sigemptyset(&set);
	if (mask_now == ALL_BLOCKED) {
		sigfillset(&set);
		sigdelset(&set, SIGALRM); /* SIGALRM ends a process that hangs */
	}
	if (mask_now == SOME_BLOCKED) {
		sigaddset(&set, SIGUSR1);
		sigaddset(&set, SIGSEGV);
		sigaddset(&set, SIGRTMAX);
	}
	pthread_sigmask(SIG_SETMASK, &set, NULL);
}

static void set_alternate_stack(void)
{
	stack_t stack = { .ss_sp = area(), .ss_size = AREA_SIZE };

#ifdef SS_AUTODISARM
	if (stack_now == AUTODISARM)
		stack.ss_flags = (int)SS_AUTODISARM;
#endif
	if (stack_now != NO_STACK && sigaltstack(&stack, NULL))
		_exit(UNIT_CHILD_SKIPPED);
}

static void ignore_all(void)
{
	for (int sig = 1; sig <= SIGNALS; sig++)
		if (sig != SIGALRM && sig != SIGCHLD && sig != SIGUSR2)
			signal(sig, SIG_IGN);
}

/* The kernel's state of a thread. */
struct kept {
	struct raw dispositions[SIGNALS];
	unsigned char mask[SIGNALS / 8];
	stack_t stack;
};

static void look(struct kept *now)
{
	memset(now, 0, sizeof *now);
	read_raw(now->dispositions);
	syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, now->mask, sizeof now->mask);
	sigaltstack(NULL, &now->stack);
}

static void call_first(int sig)
{
	(void)sig;
	cpucycles();
}

/* A first call on the alternate stack, where handlers run. */
static void call_on_stack(void)
{
	struct sigaction action = { .sa_handler = call_first, .sa_flags = SA_ONSTACK };
	struct sigaction before;
	sigset_t set, mask;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigemptyset(&action.sa_mask);
	sigaction(SIGUSR2, &action, &before);
	raise(SIGUSR2);
	pthread_sigmask(SIG_UNBLOCK, &set, &mask);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	sigaction(SIGUSR2, &before, NULL);
}

static void stays_child(void)
{
	static struct kept before, now;

	alarm(HANG_SECONDS);
	use_cache(cache_now);
	set_faults();
	if (dispositions_now == IGNORED)
		ignore_all();
	else
		set_dispositions();
	set_alternate_stack();
	set_mask();
	look(&before);
	if (stack_now == ON_STACK)
		call_on_stack();
	else
		cpucycles();
	look(&now);
	for (int sig = 1; sig <= SIGNALS; sig++)
		/* libc has written SIGUSR2's disposition in its own form, for the stack. */
		if (!faults_may_stay(cpucycles_implementation(), sig) &&
		    !(stack_now == ON_STACK && sig == SIGUSR2))
			unit_expect(!memcmp(&before.dispositions[sig - 1],
					    &now.dispositions[sig - 1], sizeof now.dispositions[0]),
				    "all dispositions are what they were");
	unit_expect(!memcmp(before.mask, now.mask, sizeof now.mask), "the mask is what it was");
	unit_expect(now.stack.ss_sp == before.stack.ss_sp &&
			    now.stack.ss_size == before.stack.ss_size &&
			    now.stack.ss_flags == before.stack.ss_flags,
		    "the alternate stack is what it was");
	unit_expect(!faults_now ||
			    !strstr(cpucycles_implementation(), faults_now & TSC ? "tsc" : "perf"),
		    "what faults is not used");
}

/* All combinations: 192 processes. */
TEST(everything_stays)
{
	const char *const caches[] = { "none", make_cache("kept", "") };
	int skipped_n = 0, n = 0;

	if (SANITIZED)
		unit_skip("a fault inside a sanitizer's own lock leaves it locked");
	for (unsigned i = 0; i < FAULTS * DISPOSITIONS * MASKS * STACKS * 2; i++) {
		int status;

		faults_now = (int)(i % FAULTS);
		dispositions_now = (int)(i / FAULTS % DISPOSITIONS);
		mask_now = (int)(i / FAULTS / DISPOSITIONS % MASKS);
		stack_now = (int)(i / FAULTS / DISPOSITIONS / MASKS % STACKS);
		cache_now = caches[i / FAULTS / DISPOSITIONS / MASKS / STACKS];
		status = unit_in_child(stays_child);
		n++;
		if (unit_child_skipped(status))
			skipped_n++;
		else if (status)
			printf("# faults %d, dispositions %d, mask %d, stack %d, cache %s\n",
			       faults_now, dispositions_now, mask_now, stack_now, cache_now);
		assert_true(status == 0 || unit_child_skipped(status));
	}
	printf("# %d settings, %d cannot be made here\n", n, skipped_n);
	if (skipped_n == n)
		unit_skip("none of these settings can be made here");
}

#endif

/* Signals that others send */

/* A signal to the process, which any thread can get, instead of the selecting thread. */
static void *wait_for_it(void *got)
{
	const struct timespec patience = { .tv_sec = 3 };
	siginfo_t info;
	sigset_t set;

	memset(&info, 0, sizeof info);
	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	*(bool *)got = sigtimedwait(&set, &info, &patience) == SIGTRAP && info.si_pid == getpid();
	return NULL;
}

TEST_IN_CHILD(signal_of_the_process)
{
	pthread_t thread;
	bool got = false;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGTRAP);
	sigprocmask(SIG_BLOCK, &set, NULL);
	use_cache("none");
	kill(getpid(), SIGTRAP);
	cpucycles();
	unit_expect(!pthread_create(&thread, NULL, wait_for_it, &got), "a thread");
	pthread_join(thread, NULL);
	unit_expect(got, "another thread can wait for it");
}

#ifdef __linux__

/* Sandboxes */

/* Descriptors of events stay open on purpose. */
static unsigned open_files(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++) {
		char link[64], where[16] = "";

		if (fcntl(fd, F_GETFD) == -1)
			continue;
		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		n += readlink(link, where, 10) < 0 || strcmp(where, "anon_inode");
	}
	return n;
}

static const char *used_cache;

static void no_leak(const long calls[], size_t n)
{
	unsigned before = open_files();

	if (THREAD_SANITIZED)
		unit_skip_child("ThreadSanitizer makes these calls itself");
	use_cache(used_cache);
	for (size_t i = 0; i < n; i++)
		if (sandbox(calls[i], SECCOMP_RET_TRAP))
			unit_skip_child("no sandbox here");
	cpucycles();
	printf("# %s, cache %s\n", cpucycles_implementation(), cpucycles_cache_status());
	unit_expect(open_files() == before, "no descriptor stays");
}

static void fstat_traps_child(void)
{
	static const long calls[] = {
#ifdef SYS_fstat
		SYS_fstat,
#endif
#ifdef SYS_fstat64
		SYS_fstat64,
#endif
#ifdef SYS_newfstatat
		SYS_newfstatat,
#endif
#ifdef SYS_statx
		SYS_statx,
#endif
	};

	no_leak(calls, sizeof calls / sizeof calls[0]);
}

static void fstatfs_traps_child(void)
{
	static const long calls[] = {
#ifdef SYS_fstatfs
		SYS_fstatfs,
#endif
#ifdef SYS_fstatfs64
		SYS_fstatfs64,
#endif
	};

	no_leak(calls, sizeof calls / sizeof calls[0]);
}

static void read_traps_child(void)
{
	static const long calls[] = { SYS_read };

	no_leak(calls, 1);
}

TEST(sandbox_leaks_nothing)
{
	void (*const traps[])(void) = { fstat_traps_child, fstatfs_traps_child, read_traps_child };
	/* A file that is read on every machine, and no file. */
	const char *const caches[] = { "none", make_cache("counters", "") };

	for (size_t i = 0; i < 2; i++) {
		used_cache = caches[i];
		for (size_t j = 0; j < sizeof traps / sizeof traps[0]; j++)
			unit_child_passes(traps[j]);
	}
}

#endif

UNIT_MAIN("hard", unit_folder_make, unit_folder_remove)
