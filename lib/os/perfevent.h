/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Perf events per thread, for the counters that need them. Source: perf_event_open(2)
 * and the comments on struct perf_event_mmap_page in linux/perf_event.h.
 *
 * Where cores are of several kinds, each kind has a PMU, an event counts on its own PMU
 * only, and the count is the sum over one event for each.
 *
 * An event that has to share its PMU with too many others counts only part of the time. Its
 * count is given as it is. Scaled to the time enabled it would be an estimate that may
 * decrease, and wrong where cores differ: there each event is enabled while another counts.
 */

#ifndef CPUCYCLES_PERFEVENT_H
#define CPUCYCLES_PERFEVENT_H

#include "counter.h"
#include "os/tls.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The kernel changes the page within microseconds; after so many tries it is stuck. */
#define PERFEVENT_TRIES 1000

/* Kinds of cores: three are known in one machine. */
#define PERFEVENT_PMUS_MAX 8

/* Which event, as in struct perf_event_attr. */
struct perfevent_kind {
	uint32_t type;
	uint64_t config, config1;
};

/* One for each PMU. */
struct perfevent_kinds {
	unsigned n;
	bool by_call; /* only read(2) is to tell the count: no pages */
	struct perfevent_kind of[PERFEVENT_PMUS_MAX];
};

/* One thread's events. */
struct perfevent {
	uint32_t process; /* generation of the process that opened them; 0: none */
	uint32_t setup;   /* number of the setup they were opened after */
	/* Changes when they do: in a signal handler, for a read that it interrupted. */
	volatile uint32_t version;
	/* Pages whose register may be read: one for each event, or 0. A fault's handler
	 * sets it to 0 in the middle of a read. */
	volatile unsigned readable;
	long long base;   /* count before these events */
	long long last;   /* highest count given out */
	/* Where pages are, NULL if none. Once there something stays there as long as the thread: a
	 * read that was interrupted may look at it. */
	const struct perf_event_mmap_page *pages[PERFEVENT_PMUS_MAX];
	uint32_t home;    /* generation of the process that has them */
	unsigned n;       /* events that are open; 0: cycles are made from a clock */
	unsigned mapped;  /* pages, from the first, that are these events' */
	int fds[PERFEVENT_PMUS_MAX];
	uint64_t ids[PERFEVENT_PMUS_MAX]; /* the kernel's, to know fds again */
	uint64_t start_ns; /* of the clock */
};

/* Choose the kinds and open this thread's events. 0 or a negative errno. */
int perfevent_setup(const struct perfevent_kinds *kinds, uint64_t persecond);

/* The same for the cycles of every kind of core, under the guard. config1 goes into each event. */
int perfevent_setup_cycles(uint64_t config1, uint64_t persecond);

/* The same, to be read by perfevent_read alone. */
int perfevent_setup_counts(uint64_t persecond);

/* Close this thread's events. */
void perfevent_teardown(void);

/* Opens this thread's events if the thread or the process is new. */
void perfevent_renew(void);

/* Cycles of this thread by read(2), or from a clock if it has no event. */
long long perfevent_read(struct perfevent *event);

/*
 * The same, for a counter that could not read its registers. Events from before the last setup are opened
 * anew, once: those of the counter before, and those of a register that was closed then.
 */
long long perfevent_read_closed(struct perfevent *event);

/* The register faulted: this thread's counts come by read(2) from now on. */
void perfevent_closed(void);

/* This thread's, and the number of this process, at its place; never 0 here once set up. */
extern _Thread_local struct perfevent perfevent_this TLS_MODEL;
extern _Atomic(uint32_t) *perfevent_generation;

/* This thread's events; opened here if the thread or the process is new. */
static inline struct perfevent *perfevent_mine(void)
{
	struct perfevent *event = &perfevent_this;

	/* UBSan asks whether it is NULL, gcc takes that from the flags of the addition that made the
	 * address, and the linker makes that a LEA, which sets none. */
	__asm__("" : "+r"(event));
	/* A thread's first event, or one from before a fork, is of another generation. */
	if (event->process == 0 ||
	    event->process != atomic_load_explicit(perfevent_generation, memory_order_relaxed))
		perfevent_renew();
	return event;
}

/* base + raw, never less than before. */
static inline long long perfevent_advance(struct perfevent *event, long long raw)
{
	long long count = event->base + raw;

	if (count < event->last)
		return event->last;
	event->last = count;
	return count;
}

/* Reads the register of that number (a page's index - 1). False: it has no way to. */
typedef bool perfevent_register(uint32_t number, uint64_t *value);

/* One page's count, added to *sum. False: only read(2) knows it. */
static inline bool perfevent_add_page(const volatile struct perf_event_mmap_page *page,
				      perfevent_register *read_register, bool *active, int64_t *sum)
{
	uint32_t index = page->index;
	unsigned width = page->pmc_width;
	uint64_t value = 0; /* GCC under sanitizers does not see that it is set */

	*sum += page->offset;
	if (index == 0)
		return true;
	if (!page->cap_user_rdpmc || width == 0 || width > 64 || !read_register(index - 1, &value))
		return false;
	*sum += (int64_t)(value << (64 - width)) >> (64 - width);
	*active = true;
	return true;
}

/*
 * The documented read of a page, summed over those of one thread: the register that the
 * index names, extended from pmc_width, added to the offset. False: read(2) has to tell.
 *
 * Index 0 says that the event is not on the PMU now, or that its register is closed: the
 * offset alone is the count in the first case only (kernel/events/core.c,
 * perf_event_update_userpage: the offset is the event's count, less the register's start if
 * there is an index). Which it is, another page tells: one with an index belongs to an
 * event that is counting on this CPU, a CPU has one core PMU, so the events of the other
 * PMUs are off theirs. It stays so while no page's lock changes, because leaving the CPU
 * takes the event off its PMU, and that changes its page (x86_pmu_del, armpmu_del).
 */
static inline bool perfevent_read_pages(const struct perf_event_mmap_page *const pages[], unsigned n,
					perfevent_register *read_register, long long *raw)
{
	for (int i = 0; i < PERFEVENT_TRIES; i++) {
		uint32_t sequence[PERFEVENT_PMUS_MAX], changes = 0;
		bool active = false;
		int64_t sum = 0;

		for (unsigned p = 0; p < n; p++)
			sequence[p] = *(const volatile uint32_t *)&pages[p]->lock;
		atomic_signal_fence(memory_order_seq_cst);
		for (unsigned p = 0; p < n; p++)
			if (!perfevent_add_page(pages[p], read_register, &active, &sum))
				return false;
		atomic_signal_fence(memory_order_seq_cst);
		for (unsigned p = 0; p < n; p++)
			changes |= sequence[p] ^ *(const volatile uint32_t *)&pages[p]->lock;
		if (changes)
			continue;
		*raw = sum;
		return active;
	}
	return false;
}

/* Whether the pages can be read here and now. */
static inline bool perfevent_is_open(const struct perfevent *event, perfevent_register *read_register)
{
	long long raw;

	return event->readable > 0 &&
		perfevent_read_pages(event->pages, event->readable, read_register, &raw);
}

/* The setup of a counter that reads registers. */
static inline int perfevent_setup_register(uint64_t config1, uint64_t persecond,
					   perfevent_register *read_register)
{
	int error = perfevent_setup_cycles(config1, persecond);

	if (error)
		return error;
	return perfevent_is_open(&perfevent_this, read_register) ? 0 : COUNTER_CLOSED;
}

/* The read of a counter that reads registers. */
static inline long long perfevent_read_register(perfevent_register *read_register)
{
	struct perfevent *event = perfevent_mine();
	const uint32_t version = event->version;
	unsigned n = event->readable;
	long long raw;
	bool done;

	/* One kind of cores is the common case, for which the loops above are none. */
	if (n == 1)
		done = perfevent_read_pages(event->pages, 1, read_register, &raw);
	else
		done = n > 0 && perfevent_read_pages(event->pages, n, read_register, &raw);
	/* Looked at again: what a register gave when it faulted is not a count. */
	if (done && event->readable && event->version == version)
		return perfevent_advance(event, raw);
	return perfevent_read_closed(event);
}

#endif
