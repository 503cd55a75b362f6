/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CLOCK_MONOTONIC by a system call. The clocks of the vDSO read the TSC and fault together with
 * RDTSC (prctl(2), PR_SET_TSC); the system call does not. */

#include "config.h"

#include "os/clock.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __linux__
#error "Linux only"
#endif

static int read_clock(uint64_t *ns)
{
#if defined(SYS_clock_gettime64)
	int64_t wide[2]; /* the kernel's own 64-bit timespec */

	if (!syscall(SYS_clock_gettime64, CLOCK_MONOTONIC, wide)) {
		*ns = (uint64_t)wide[0] * CLOCK_NS_PER_S + (uint64_t)wide[1];
		return 0;
	}
	if (errno != ENOSYS)
		return -errno;
#endif
#if defined(SYS_clock_gettime)
	long words[2]; /* the old call fills two longs */

	if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, words))
		return -errno;
	*ns = (uint64_t)words[0] * CLOCK_NS_PER_S + (uint64_t)words[1];
	return 0;
#else
	return -ENOSYS;
#endif
}

int clock_by_syscall(uint64_t *ns)
{
	int saved_errno = errno, error;

	*ns = 0;
	error = read_clock(ns);
	errno = saved_errno;
	return error;
}
