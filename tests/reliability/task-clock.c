/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* For machines without a PMU: who asks the kernel for an event of cycles gets a real one of the task
 * clock, which every kernel has, so that the counters over perf events live and die as they do
 * elsewhere. A library for LD_PRELOAD; with LINKED defined a part of the program, to be linked with
 * --wrap=syscall, which works under sanitizers and in static programs too. */

#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
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

/* Takes six arguments where fewer were given, as libc's own does: AddressSanitizer would see it. */
__attribute__((visibility("default"), no_sanitize("address"))) long OURS(long number, ...)
{
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number == SYS_perf_event_open) {
		struct perf_event_attr *attr = (struct perf_event_attr *)arguments[0];

		attr->type = PERF_TYPE_SOFTWARE;
		attr->config = PERF_COUNT_SW_TASK_CLOCK;
	}
	return next()(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4],
		      arguments[5]);
}
