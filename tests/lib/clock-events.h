/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * For tests of the whole library on machines without a PMU. The linker puts a function between the
 * library and perf_event_open (--wrap=syscall): instead of an event of cycles it opens a task
 * clock, which needs no counting hardware.
 */

#ifndef CPUCYCLES_CLOCK_EVENTS_H
#define CPUCYCLES_CLOCK_EVENTS_H

#include "unit.h"
#include "cpucycles.h"
#include "syscall-arguments.h"
#include "task-clock.h"

#include <errno.h>

#define EVENT "default-perfevent"

static bool refused; /* a sandbox has come, which forbids perf_event_open */

static long stand_in(const struct perf_event_attr *attr, long pid, long cpu, long group, long flags)
{
	if (refused) {
		errno = EPERM;
		return -1;
	}
	if (attr->type == PERF_TYPE_HARDWARE && (uint32_t)attr->config == PERF_COUNT_HW_CPU_CYCLES)
		return task_clock_stand_in(attr, pid, cpu, group, flags);
	return __real_syscall(SYS_perf_event_open, attr, pid, cpu, group, flags);
}

long __wrap_syscall(long number, ...)
{
	long of[SYSCALL_ARGUMENTS];
	va_list list;

	va_start(list, number);
	syscall_arguments(list, of);
	va_end(list);
	if (number == SYS_perf_event_open)
		return stand_in((const void *)of[0], (int)of[1], (int)of[2], (int)of[3], of[4]);
	return __real_syscall(number, of[0], of[1], of[2], of[3], of[4], of[5]);
}

static void select_counter(const char *name)
{
	if (setenv("CPUCYCLES_CACHE", "none", 1) || setenv("CPUCYCLES_COUNTER", name, 1))
		_exit(99);
	cpucycles_reselect();
}

static void need_events(void)
{
	select_counter(EVENT);
	if (strcmp(cpucycles_implementation(), EVENT))
		unit_skip_child("no perf event can be opened here");
}

#endif
