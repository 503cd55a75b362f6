/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * page BLOCKS CALLS: times the read of a perf event's user page as the library's counters do it,
 * beside a bare loop over the same page. On a machine whose PMU has no register that may be read,
 * the page is a made one that names another register, so that the cost of the protocol is the same.
 * page-fenced, compiled from this file with FENCED, times both with the fences of a meter around
 * each read.
 */

#include "config.h"

#include <stdio.h>

#if defined(HAVE_LINUX_PERF_EVENT_H) && (defined(__x86_64__) || defined(__aarch64__))

#include "guard.h"
#include "os/clock.h"
#include "os/perfevent.h"

#ifdef FENCED
#include "fence.h"
#else
#define fence() ((void)0)
#endif

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include "arch/amd64/rdpmc.h"

#include <x86intrin.h>

static inline uint64_t stand_in(void)
{
	return __rdtsc();
}

static inline uint64_t pmu_register(uint32_t number)
{
	return rdpmc(number);
}

#define PMU_CONFIG 0
#define STAND_IN "made page, RDTSC for RDPMC"
#else
#include "arch/arm64/pmccntr.h"

static inline uint64_t stand_in(void)
{
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
}

static inline uint64_t pmu_register(uint32_t number)
{
	(void)number;
	return pmccntr();
}

#define PMU_CONFIG 3
#define STAND_IN "made page, CNTVCT for PMCCNTR"
#endif

static bool read_pmu(uint32_t number, uint64_t *value)
{
	*value = pmu_register(number);
	return true;
}

static bool read_stand_in(uint32_t number, uint64_t *value)
{
	(void)number;
	*value = stand_in();
	return true;
}

/* The same as the reads in the counters' files. */
static long long read_library_pmu(void)
{
	return perfevent_read_register(read_pmu);
}

static long long read_library_made(void)
{
	return perfevent_read_register(read_stand_in);
}

/* The loop in the comments on struct perf_event_mmap_page in linux/perf_event.h, and no more. */
#define BARE_READ(read_it) \
	const volatile struct perf_event_mmap_page *page = perfevent_this.pages[0]; \
	uint32_t lock, index; \
	uint64_t value, width; \
	long long count; \
	do { \
		lock = page->lock; \
		atomic_signal_fence(memory_order_seq_cst); \
		index = page->index; \
		count = page->offset; \
		if (page->cap_user_rdpmc && index) { \
			width = page->pmc_width; \
			value = (read_it) << (64 - width); \
			count += (int64_t)value >> (64 - width); \
		} \
		atomic_signal_fence(memory_order_seq_cst); \
	} while (page->lock != lock); \
	return count

static inline long long read_bare_pmu(void)
{
	BARE_READ(pmu_register(index - 1));
}

static inline long long read_bare_made(void)
{
	BARE_READ(stand_in());
}

static volatile long long sink;

static double ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Programs call the library's read through a pointer. */
static double time_library(long long (*const volatile *read)(void), long calls)
{
	double start = ns();
	long long last = 0;

	for (long i = 0; i < calls; i++) {
		fence();
		last ^= (*read)();
		fence();
	}
	sink = last;
	return (ns() - start) / (double)calls;
}

static double time_bare(bool made, long calls)
{
	double start = ns();
	long long last = 0;

	for (long i = 0; i < calls; i++) {
		fence();
		last ^= made ? read_bare_made() : read_bare_pmu();
		fence();
	}
	sink = last;
	return (ns() - start) / (double)calls;
}

static bool open_pmu(void)
{
	const struct counter_conditions conditions = { CLOCK_NS_PER_S, { 1, 1 }, false };
	struct guard guard;
	bool open;

	if (guard_acquire(&guard) != LOCK_TAKEN)
		return false;
	guard_install(&guard, GUARD_ALL);
	open = !perfevent_setup_register(PMU_CONFIG, &conditions, read_pmu);
	guard_release(&guard);
	return open;
}

/* An event that every kernel has, with a made page in the place of its own. */
static bool make_page(void)
{
	static _Alignas(4096) struct perf_event_mmap_page page; /* as the kernel maps it */
	static const struct perfevent_kinds task_clock = {
		.n = 1,
		.of[0] = { .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
	};

	if (perfevent_setup(&task_clock, CLOCK_NS_PER_S))
		return false;
	page.cap_user_rdpmc = 1;
	page.index = 1;
	page.pmc_width = 48;
	page.offset = 1000;
	perfevent_this.pages[0] = &page;
	perfevent_this.readable = 1;
	return perfevent_register_is_open(&perfevent_this, read_stand_in);
}

int main(int argc, char *argv[])
{
	long blocks = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
	long calls = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	bool made = !open_pmu();
	long long (*const volatile read)(void) = made ? read_library_made : read_library_pmu;

	if (made && !make_page()) {
		fputs("page: no PMU, and no perf event for a made page either\n", stderr);
		return 3;
	}
	printf("kind %s\n", made ? STAND_IN : "this machine's PMU");
	for (long i = -1; i < blocks; i++) { /* the first is to warm up */
		double library = time_library(&read, calls), bare = time_bare(made, calls);

		if (i >= 0)
			printf("block %.4f %.4f\n", library, bare);
	}
	return fflush(stdout) ? 3 : 0;
}

#else

int main(void)
{
	fputs("page: it is made for Linux on x86-64 and ARM64 only\n", stderr);
	return 3;
}

#endif
