/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A perf event per thread, for the counters that need one. Source: perf_event_open(2)
 * and the comments on struct perf_event_mmap_page in linux/perf_event.h. */

#ifndef CPUCYCLES_PERFEVENT_H
#define CPUCYCLES_PERFEVENT_H

#include "counter.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The kernel changes the page within microseconds; after so many tries it is stuck. */
#define PERFEVENT_TRIES 1000

/* Which event. */
struct perfevent_kind {
	uint32_t type;
	uint64_t config;
};

#define PERFEVENT_CYCLES \
	(struct perfevent_kind){ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_CPU_CYCLES }

/* One thread's event. */
struct perfevent {
	uint32_t process; /* generation of the process that opened it; 0: no event */
	int fd;           /* -1: none could be opened, cycles are made from a clock */
	uint64_t id;      /* the kernel's, to know fd again */
	const struct perf_event_mmap_page *page; /* NULL if none */
	uint64_t start_ns; /* of the clock, where fd is -1 */
	long long base;   /* count before this event */
	long long last;   /* highest count given out */
};

/* Choose the kind and open this thread's event. 0 or a negative errno. */
int perfevent_setup(struct perfevent_kind kind, uint64_t persecond);

/* Close this thread's event. */
void perfevent_teardown(void);

/* This thread's event; opened here if the thread or the process is new. */
struct perfevent *perfevent_mine(void);

/* Cycles of this thread by read(2), or from a clock if it has no event. */
long long perfevent_read(struct perfevent *event);

/* base + raw, never less than before. */
static inline long long perfevent_advance(struct perfevent *event, long long raw)
{
	long long count = event->base + raw;

	if (count < event->last)
		return event->last;
	event->last = count;
	return count;
}

/* Whether the kernel lets user space read the register of this event's page. */
static inline bool perfevent_is_open(const struct perf_event_mmap_page *page)
{
	return page && page->cap_user_rdpmc;
}

/*
 * The documented read of the page: register `index - 1` by read_register, extended
 * from pmc_width, added to the offset. False: not on the PMU now, ask read(2).
 */
static inline bool perfevent_read_page(const volatile struct perf_event_mmap_page *page,
				       uint64_t (*read_register)(uint32_t), long long *raw)
{
	for (int i = 0; i < PERFEVENT_TRIES; i++) {
		uint32_t sequence = page->lock, index;
		unsigned width = page->pmc_width;
		int64_t count, offset;

		atomic_signal_fence(memory_order_seq_cst);
		index = page->index;
		offset = page->offset;
		if (!page->cap_user_rdpmc || index == 0 || width == 0 || width > 64)
			return false;
		count = (int64_t)(read_register(index - 1) << (64 - width)) >> (64 - width);
		atomic_signal_fence(memory_order_seq_cst);
		if (page->lock == sequence) {
			*raw = offset + count;
			return true;
		}
	}
	return false;
}

#endif
