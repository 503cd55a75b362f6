/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Reads counts from the user pages of perf events, which the kernel keeps up to date, for both
 * libraries. The functions are pure: they look at the pages and at the registers that the pages
 * name, make no system call and keep no state. Source: the comments on struct perf_event_mmap_page
 * in linux/perf_event.h.
 */

#ifndef CPUCYCLES_PERFEVENT_PAGE_H
#define CPUCYCLES_PERFEVENT_PAGE_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* The kernel changes a page within microseconds; after PERFEVENT_PAGE_TRIES tries it is stuck. */
#define PERFEVENT_PAGE_TRIES 1000

/* Pages of one thread: one for each PMU of its machine's cores, and three PMUs are known in one. */
#define PERFEVENT_PMUS_MAX 8

/* Reads the register of that number, which is a page's index - 1. False: it cannot. */
typedef bool perfevent_register(uint32_t number, uint64_t *value);

/*
 * Add one page's count to *sum, modulo 2^64; *active becomes true if the page names a register.
 * False: only read(2) knows the count.
 */
static inline bool perfevent_page_add(const volatile struct perf_event_mmap_page *page,
				      perfevent_register *read_register, bool *active,
				      uint64_t *sum)
{
	uint32_t index = page->index;
	unsigned width = page->pmc_width;
	uint64_t value = 0; /* for GCC with sanitizers, which does not see that it is set */

	*sum += (uint64_t)page->offset;
	if (index == 0)
		return true;
	if (!page->cap_user_rdpmc || width == 0 || width > 64 || !read_register(index - 1, &value))
		return false;
	*sum += (uint64_t)((int64_t)(value << (64 - width)) >> (64 - width));
	*active = true;
	return true;
}

/* The locks of n pages, to be compared after the reads. */
static inline void perfevent_page_lock(const struct perf_event_mmap_page *const pages[], unsigned n,
				       uint32_t locks[])
{
	for (unsigned p = 0; p < n; p++)
		locks[p] = *(const volatile uint32_t *)&pages[p]->lock;
	atomic_signal_fence(memory_order_seq_cst);
}

/* Whether no lock has changed, and the thread was not interrupted: all that was read in between is
 * of one moment. */
static inline bool perfevent_page_stays(const struct perf_event_mmap_page *const pages[],
					unsigned n, const uint32_t locks[])
{
	uint32_t changes = 0;

	atomic_signal_fence(memory_order_seq_cst);
	for (unsigned p = 0; p < n; p++)
		changes |= locks[p] ^ *(const volatile uint32_t *)&pages[p]->lock;
	return !changes;
}

/*
 * The documented read of a page, for all n pages of a thread at one moment. The count is the sum
 * of the pages' offsets and of the registers that they name, which have pmc_width bits. False:
 * only read(2) knows the count.
 *
 * A page of index 0 names no register, for one of two reasons. Either its event is not on the PMU
 * now: then the offset is its count. Or its register is closed: then the offset lacks what the
 * register has counted since the kernel last wrote the page (perf_event_update_userpage in
 * kernel/events/core.c). Another page tells which reason holds. A page with an index belongs to an
 * event that counts on this CPU. A CPU has one core PMU, so the events of all other PMUs are off
 * theirs, and the sum is the count. Where no page has an index, nothing is known.
 *
 * This stays so while no page's lock changes: a thread that leaves the CPU takes its event off the
 * PMU, and that changes the event's page (x86_pmu_del, armpmu_del).
 */
static inline bool perfevent_page_sum(const struct perf_event_mmap_page *const pages[], unsigned n,
				      perfevent_register *read_register, long long *count)
{
	for (int i = 0; i < PERFEVENT_PAGE_TRIES; i++) {
		uint32_t locks[PERFEVENT_PMUS_MAX];
		bool active = false;
		uint64_t sum = 0;

		perfevent_page_lock(pages, n, locks);
		for (unsigned p = 0; p < n; p++)
			if (!perfevent_page_add(pages[p], read_register, &active, &sum))
				return false;
		if (!perfevent_page_stays(pages, n, locks))
			continue;
		*count = (long long)sum;
		return active;
	}
	return false;
}

#endif
