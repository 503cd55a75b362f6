/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The kernel's multiplier from TSC ticks to nanoseconds. The user page of every perf event shows it
 * as long as the kernel takes the TSC for its clock. Source: the comments on struct
 * perf_event_mmap_page in linux/perf_event.h. */

#include "config.h"

#include "arch/x86/frequency-x86.h"

uint64_t x86_multiplier_hz(uint32_t multiplier, unsigned shift)
{
	const uint64_t ns = 1000000000; /* in a second */

	/* The kernel's shift is at most 32, and 10^9 is less than 2^30. */
	if (multiplier == 0 || shift > 34)
		return 0;
	return (ns << shift) / multiplier;
}

#ifdef HAVE_LINUX_PERF_EVENT_H

#include "os/perfevent-page.h"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static uint64_t read_page(const struct perf_event_mmap_page *page)
{
	for (int i = 0; i < PERFEVENT_PAGE_TRIES; i++) {
		uint32_t lock, multiplier;
		unsigned shift;

		perfevent_page_lock(&page, 1, &lock);
		if (!page->cap_user_time)
			return 0;
		multiplier = page->time_mult;
		shift = page->time_shift;
		if (perfevent_page_stays(&page, 1, &lock))
			return x86_multiplier_hz(multiplier, shift);
	}
	return 0;
}

uint64_t x86_perf_page_hz(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const size_t size = (size_t)sysconf(_SC_PAGESIZE);
	long fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	uint64_t hz = 0;
	void *page;

	if (fd < 0)
		return 0;
	page = mmap(NULL, size, PROT_READ, MAP_SHARED, (int)fd, 0);
	if (page != MAP_FAILED) {
		hz = read_page(page);
		munmap(page, size);
	}
	close((int)fd);
	return hz;
}

#else

uint64_t x86_perf_page_hz(void)
{
	return 0;
}

#endif
