/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A task clock counts a thread's own time in nanoseconds, and needs no counting hardware. For tests
 * in which functions stand between the library and libc's syscall(), by the linker's --wrap. */

#ifndef CPUCYCLES_TASK_CLOCK_H
#define CPUCYCLES_TASK_CLOCK_H

#include "unit.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

/* Open a task clock in the place of what the library asks for. */
static inline long task_clock_stand_in(const struct perf_event_attr *asked, long pid, long cpu,
				       long group, long flags)
{
	struct perf_event_attr clock = *asked;

	clock.type = PERF_TYPE_SOFTWARE;
	clock.config = PERF_COUNT_SW_TASK_CLOCK;
	clock.exclude_kernel = clock.exclude_hv = 1; /* else an ordinary user may not open it */
	return __real_syscall(SYS_perf_event_open, &clock, pid, cpu, group, flags);
}

/* Open a task clock of this thread that the library knows nothing of. */
static inline int task_clock_open(uint64_t read_format)
{
	const struct perf_event_attr attr = { .size = sizeof attr, .read_format = read_format };
	int fd = (int)task_clock_stand_in(&attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	unit_expect(fd >= 0, "a task clock of the test's own");
	return fd;
}

static inline long long task_clock_ns(int fd)
{
	long long ns = -1;

	unit_expect(read(fd, &ns, sizeof ns) == sizeof ns,
		    "a task clock of the test's own is read");
	return ns;
}

/* Let the thread work for so long of its own time. In as much time of another clock, a busy machine
 * may not run the thread. */
static inline void task_clock_burn(int fd, long long ns)
{
	const long long start = task_clock_ns(fd);

	while (task_clock_ns(fd) - start < ns)
		;
}

#endif
