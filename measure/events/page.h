/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Reads the counts of events from their user pages, which the kernel keeps up to date. Pure: the
 * functions look at the pages and at the registers that the pages name, and make no system call.
 * Source: the comments on struct perf_event_mmap_page in linux/perf_event.h.
 */

#ifndef CPUCYCLES_EVENT_PAGE_H
#define CPUCYCLES_EVENT_PAGE_H

#include "fence.h"

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The kernel changes a page within microseconds; after so many tries it is stuck. */
#define EVENT_PAGE_TRIES 1000

/* Pages that are read together. */
#define EVENT_PAGES_MAX 32

/* Reads the register of that number, which is a page's index - 1. False: it cannot. */
typedef bool event_page_register(uint32_t number, uint64_t *value);

/* The count of one event: the page's offset and the register that the page names, which has
 * pmc_width bits. False: only read(2) knows the count. */
static inline bool event_page_count(const volatile struct perf_event_mmap_page *page,
				    event_page_register *read_register, uint64_t *count)
{
	const uint32_t index = page->index;
	const unsigned width = page->pmc_width;
	uint64_t value = 0;

	if (index == 0 || width == 0 || width > 64 || !page->cap_user_rdpmc ||
	    !read_register(index - 1, &value))
		return false;
	*count = (uint64_t)page->offset +
		 (uint64_t)((int64_t)(value << (64 - width)) >> (64 - width));
	return true;
}

static inline uint32_t event_page_lock(const struct perf_event_mmap_page *page)
{
	return *(const volatile uint32_t *)&page->lock;
}

/* The counts of n pages at one moment: as long as no page's lock changes, the thread is not
 * interrupted. False: only read(2) knows them. */
static inline bool event_page_read(const struct perf_event_mmap_page *const pages[], size_t n,
				   event_page_register *read_register, uint64_t counts[])
{
	for (int i = 0; i < EVENT_PAGE_TRIES; i++) {
		uint32_t locks[EVENT_PAGES_MAX], changes = 0;

		for (size_t p = 0; p < n; p++)
			locks[p] = event_page_lock(pages[p]);
		atomic_signal_fence(memory_order_seq_cst);
		fence();
		for (size_t p = 0; p < n; p++)
			if (!event_page_count(pages[p], read_register, &counts[p]))
				return false;
		fence();
		atomic_signal_fence(memory_order_seq_cst);
		for (size_t p = 0; p < n; p++)
			changes |= locks[p] ^ event_page_lock(pages[p]);
		if (!changes)
			return true;
	}
	return false;
}

#endif
