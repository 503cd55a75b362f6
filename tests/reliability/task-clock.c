/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Stands in for a PMU on machines without one: a program that asks the kernel for an event of
 * cycles gets an event of the task clock, which every kernel has. The counters over perf events
 * then open, read and release real events. This is a library for LD_PRELOAD, or with LINKED defined
 * a part of a program that is linked with --wrap=syscall, which works under sanitizers and in
 * static programs, too.
 */

#include "../lib/syscall-arguments.h"

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef long call(long number, ...);

#ifdef LINKED

#define OURS __wrap_syscall
call __real_syscall, __wrap_syscall;

static call *next(void)
{
	return __real_syscall;
}

#else

#define OURS syscall

static call *next(void)
{
	static _Atomic(call *) found;
	call *libc = found;

	if (!libc)
		found = libc = (call *)dlsym(RTLD_NEXT, "syscall");
	return libc;
}

#endif

__attribute__((visibility("default"))) long OURS(long number, ...)
{
	long of[SYSCALL_ARGUMENTS];
	va_list list;

	va_start(list, number);
	syscall_arguments(list, of);
	va_end(list);
	if (number == SYS_perf_event_open) {
		struct perf_event_attr *attr = (struct perf_event_attr *)of[0];

		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_TASK_CLOCK;
	}
	return next()(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}
