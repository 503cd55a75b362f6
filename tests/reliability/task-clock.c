/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Where no PMU counts cycles, a real event of the kernel's own stands in for them. The linker
 * puts this between (--wrap). */

#include "config.h"

#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

static long task_clock(const struct perf_event_attr *attr, const long of[6])
{
	struct perf_event_attr clock = *attr;

	clock.type = PERF_TYPE_SOFTWARE;
	clock.config = PERF_COUNT_SW_TASK_CLOCK;
	return __real_syscall(SYS_perf_event_open, &clock, of[1], of[2], of[3], of[4]);
}

long __wrap_syscall(long number, ...)
{
	va_list arguments;
	long of[6];

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		of[i] = va_arg(arguments, long);
	va_end(arguments);
	if (number == SYS_perf_event_open)
		return task_clock((const struct perf_event_attr *)of[0], of);
	return __real_syscall(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}
