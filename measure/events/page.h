/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Reads the counts of several events from their user pages at one moment. */

#ifndef CPUCYCLES_EVENT_PAGE_H
#define CPUCYCLES_EVENT_PAGE_H

#include "fence.h"
#include "os/perfevent-page.h"

/* Pages that are read together. */
#define EVENT_PAGES_MAX 32

/* The counts of n pages. False: only read(2) knows them. */
static inline bool event_page_read(const struct perf_event_mmap_page *const pages[], unsigned n,
				   perfevent_register *read_register, uint64_t counts[])
{
	for (int i = 0; i < PERFEVENT_PAGE_TRIES; i++) {
		uint32_t locks[EVENT_PAGES_MAX];

		perfevent_page_lock(pages, n, locks);
		fence();
		for (unsigned p = 0; p < n; p++) {
			bool active = false;

			counts[p] = 0;
			if (!perfevent_page_add(pages[p], read_register, &active, &counts[p]) ||
			    !active)
				return false;
		}
		fence();
		if (perfevent_page_stays(pages, n, locks))
			return true;
	}
	return false;
}

#endif
