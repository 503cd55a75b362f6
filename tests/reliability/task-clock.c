/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* For LD_PRELOAD, on machines without a PMU: who asks the kernel for an event of cycles gets a
 * real one of the task clock, which every kernel has, so that the counters over perf
 * events live and die as they do elsewhere. */

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef long call(long number, ...);

__attribute__((visibility("default"))) long syscall(long number, ...)
{
	static _Atomic(call *) next;
	long arguments[6];
	call *libc = next;
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (!libc)
		next = libc = (call *)dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_perf_event_open) {
		struct perf_event_attr *attr = (struct perf_event_attr *)arguments[0];

		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_TASK_CLOCK;
	}
	return libc(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		    arguments[5]);
}
