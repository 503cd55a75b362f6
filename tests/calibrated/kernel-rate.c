/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* kernel-rate: prints the rate of the TSC, in Hz, by which the kernel computes CLOCK_MONOTONIC_RAW,
 * from the page of a software event. Exit status 1: the kernel tells none. */

#include "config.h"

#include <stdint.h>
#include <stdio.h>

#ifdef HAVE_LINUX_PERF_EVENT_H

#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof attr,
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	const struct perf_event_mmap_page *page;

	if (fd < 0) {
		perror("perf_event_open");
		return 1;
	}
	page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED || !page->cap_user_time || page->time_mult == 0) {
		fprintf(stderr, "kernel-rate: the kernel does not tell\n");
		return 1;
	}
	printf("%.0f\n", 1e9 * (double)(UINT64_C(1) << page->time_shift) / page->time_mult);
	return 0;
}

#else

int main(void)
{
	fprintf(stderr, "kernel-rate: Linux only, and with its headers\n");
	return 1;
}

#endif
