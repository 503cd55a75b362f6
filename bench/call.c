/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The program that is run in fresh processes, and times itself. It loads the library with dlopen()
 * and knows no more than its ABI, so it can measure any library with this ABI.
 *
 *   call first LIBRARY [mark] [wait]        time the first call
 *   call bare LIBRARY PLAN [mark] [wait]    time these system calls instead: see plan.h
 *   call reads LIBRARY BLOCKS CALLS         time later calls, and the bare instruction or clock
 *   call names LIBRARY                      print the library's list of counters
 *   call costs LIBRARY                      time some parts of a first call, such as a page fault
 *
 * mark: call plan_mark() before and after the timed part, for the tracer. wait: print "ready", then
 * wait for the end of standard input, so that many processes start together.
 */

#include "config.h"

#include "plan.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#include <x86intrin.h>
#define HAVE_INLINE
static inline long long read_inline(void)
{
	return (long long)__rdtsc();
}
#elif defined(__aarch64__)
#define HAVE_INLINE
static inline long long read_inline(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return (long long)ticks;
}
#endif

#if HAVE_DECL_CLOCK_MONOTONIC_RAW
#define BENCH_CLOCK CLOCK_MONOTONIC_RAW
#else
#define BENCH_CLOCK CLOCK_MONOTONIC
#endif

/* Pairs of readings of the clock, to find its own cost. */
#define CLOCK_TRIES 15

struct library {
	long long (**cpucycles)(void);
	const char *(*implementation)(void), *(*source)(void), *(*status)(void);
	void (*tracesetup)(void);
};

static long long now_ns(void)
{
	struct timespec t;

	clock_gettime(BENCH_CLOCK, &t);
	return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* The smallest difference of two readings. This also brings the clock into the CPU's caches. */
static long long clock_cost(void)
{
	long long least = INT64_MAX;

	for (int i = 0; i < CLOCK_TRIES; i++) {
		long long start = now_ns(), cost = now_ns() - start;

		if (cost < least)
			least = cost;
	}
	return least;
}

/* memcpy, because ISO C has no conversion from void * to a pointer to a function. POSIX promises
 * that both have the same form. */
static void find(void *handle, const char *name, void *pointer)
{
	void *symbol = dlsym(handle, name);

	memcpy(pointer, &symbol, sizeof symbol);
}

static struct library load(const char *path)
{
	struct library library;
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);

	if (!handle) {
		fprintf(stderr, "call: %s\n", dlerror());
		exit(3);
	}
	find(handle, "cpucycles", &library.cpucycles);
	find(handle, "cpucycles_implementation", &library.implementation);
	find(handle, "cpucycles_selection_source", &library.source);
	find(handle, "cpucycles_cache_status", &library.status);
	find(handle, "cpucycles_tracesetup", &library.tracesetup);
	if (!library.cpucycles || !library.implementation || !library.tracesetup) {
		fprintf(stderr, "call: %s: not a libcpucycles\n", path);
		exit(3);
	}
	return library;
}

static long page_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return usage.ru_minflt;
}

static bool given(char *const *options, const char *name)
{
	while (*options && strcmp(*options, name))
		options++;
	return *options;
}

static void wait_for_others(void)
{
	char byte;

	if (write(STDOUT_FILENO, "ready\n", 6) == 6)
		while (read(STDIN_FILENO, &byte, 1) > 0)
			continue;
}

/* One write: lines of other processes in the same pipe do not get into this one. */
static int say(const char *text, int length)
{
	return write(STDOUT_FILENO, text, (size_t)length) == length ? 0 : 3;
}

struct timing {
	long long ns, clock;
	long faults;
};

/* What to time: the plan, or cpucycles if plan is NULL. */
struct timed {
	long long (**cpucycles)(void);
	const struct plan *plan;
};

static struct timing time_it(const struct timed *timed, char *const *options)
{
	bool mark = given(options, "mark");
	struct timing timing;
	long long start;

	timing.clock = clock_cost();
	if (given(options, "wait"))
		wait_for_others();
	timing.faults = page_faults();
	if (mark)
		plan_mark();
	start = now_ns();
	if (timed->plan)
		plan_run(timed->plan);
	else
		(*timed->cpucycles)();
	timing.ns = now_ns() - start;
	if (mark)
		plan_mark();
	timing.faults = page_faults() - timing.faults;
	return timing;
}

static int first(const char *path, char *const *options)
{
	struct library library = load(path);
	struct timed timed = { .cpucycles = library.cpucycles };
	struct timing timing = time_it(&timed, options);
	char text[512];

	return say(text, snprintf(text, sizeof text,
				  "ns %lld clock %lld faults %ld"
				  " implementation %s source %s status %s\n",
				  timing.ns, timing.clock, timing.faults, library.implementation(),
				  library.source ? library.source() : "-",
				  library.status ? library.status() : "-"));
}

static int bare(const char *path, const char *plan_text, char *const *options)
{
	static struct plan plan;
	struct timed timed = { .plan = &plan };
	struct timing timing;
	char text[512];

	load(path);
	if (!plan_parse(plan_text, &plan)) {
		fprintf(stderr, "call: not a plan: %s\n", plan_text);
		return 2;
	}
	timing = time_it(&timed, options);
	return say(text, snprintf(text, sizeof text,
				  "ns %lld clock %lld faults %ld"
				  " implementation - source - status -\n",
				  timing.ns, timing.clock, timing.faults));
}

/* Later calls. Each kind of read has a loop of its own, and all loops have the same form. */

static volatile long long sink;

static double time_calls(const struct library *library, long calls)
{
	long long (**cpucycles)(void) = library->cpucycles;
	long long start = now_ns(), last = 0;

	for (long i = 0; i < calls; i++)
		last ^= (*cpucycles)();
	sink = last;
	return (double)(now_ns() - start) / (double)calls;
}

static double time_clock(long calls)
{
	long long start = now_ns(), last = 0;

	for (long i = 0; i < calls; i++) {
		struct timespec t;

		clock_gettime(CLOCK_MONOTONIC, &t);
		last ^= t.tv_nsec;
	}
	sink = last;
	return (double)(now_ns() - start) / (double)calls;
}

#ifdef HAVE_INLINE
static double time_inline(long calls)
{
	long long start = now_ns(), last = 0;

	for (long i = 0; i < calls; i++)
		last ^= read_inline();
	sink = last;
	return (double)(now_ns() - start) / (double)calls;
}

/*
 * A read that the public header could offer to avoid the indirect call: if the pointer leads to the
 * reader of the time-stamp counter, read that register inline, else call.
 */
static double time_checked(const struct library *library, long calls)
{
	long long (**pointer)(void) = library->cpucycles;
	long long (*const volatile known)(void) = *pointer;
	long long start = now_ns(), last = 0;

	for (long i = 0; i < calls; i++) {
		long long (*reader)(void) = __atomic_load_n(pointer, __ATOMIC_RELAXED);

		last ^= reader == known ? read_inline() : reader();
	}
	sink = last;
	return (double)(now_ns() - start) / (double)calls;
}
#else
static double time_inline(long calls)
{
	(void)calls;
	return 0;
}

static double time_checked(const struct library *library, long calls)
{
	(void)library, (void)calls;
	return 0;
}
#endif

static int reads(const char *path, long blocks, long calls)
{
	struct library library = load(path);

	(*library.cpucycles)();
	printf("implementation %s\n", library.implementation());
	for (long i = -1; i < blocks; i++) { /* block -1 warms up and is not printed */
		double call = time_calls(&library, calls), in_line = time_inline(calls);
		double checked = time_checked(&library, calls), clock = time_clock(calls);

		if (i >= 0)
			printf("block %.4f %.4f %.4f %.4f\n", call, in_line, checked, clock);
	}
	return fflush(stdout) ? 3 : 0;
}

static int names(const char *path)
{
	struct library library = load(path);

	library.tracesetup();
	(*library.cpucycles)();
	return fflush(stdout) ? 3 : 0;
}

/* Parts of a first call, each for the first time in this process. */

#define COST_PAGES 8

static void print_cost(const char *what, long long ns, long n)
{
	printf("cost %s %.1f\n", what, (double)ns / (double)n);
}

/* Writes to pages for the first time: anonymous ones if fd is negative, else private copies of a
 * file's pages, as a library's data are. */
static bool touch(const char *what, int fd, size_t size)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t n = size / page < COST_PAGES ? size / page : COST_PAGES;
	int flags = MAP_PRIVATE | (fd < 0 ? MAP_ANONYMOUS : 0);
	volatile char *pages;
	long long start;

	if (n == 0)
		return false;
	pages = mmap(NULL, n * page, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (pages == MAP_FAILED)
		return false;
	start = now_ns();
	for (size_t i = 0; i < n; i++)
		pages[i * page] = 1;
	print_cost(what, now_ns() - start, (long)n);
	return true;
}

static int costs(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	long long start;

	clock_cost();
	if (fd < 0 || fstat(fd, &status) || !touch("fault-anonymous", -1, 1 << 20) ||
	    !touch("fault-copy", fd, (size_t)status.st_size))
		return 3;
	start = now_ns();
	for (int i = 0; i < COST_PAGES; i++)
		syscall(SYS_getppid);
	print_cost("system-call", now_ns() - start, COST_PAGES);
#if defined(__x86_64__)
	unsigned a, b, c, d;

	start = now_ns();
	__cpuid(1, a, b, c, d);
	print_cost("cpuid", now_ns() - start, 1);
#endif
	return fflush(stdout) ? 3 : 0;
}

int main(int argc, char *argv[])
{
	if (argc >= 3 && !strcmp(argv[1], "first"))
		return first(argv[2], argv + 3);
	if (argc >= 4 && !strcmp(argv[1], "bare"))
		return bare(argv[2], argv[3], argv + 4);
	if (argc == 5 && !strcmp(argv[1], "reads"))
		return reads(argv[2], strtol(argv[3], NULL, 10), strtol(argv[4], NULL, 10));
	if (argc == 3 && !strcmp(argv[1], "names"))
		return names(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "costs"))
		return costs(argv[2]);
	fputs("call: wrong arguments; the head of bench/call.c lists them\n", stderr);
	return 2;
}
