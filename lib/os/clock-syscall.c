/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CLOCK_MONOTONIC by a real system call: the vDSO's clocks fault together with
 * RDTSC (prctl(2), PR_SET_TSC), this one does not. */

#include "config.h"

#include "os/clock.h"

#include <errno.h>

#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>

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
#else
/* Elsewhere libc is the only way to the kernel. */
static int read_clock(uint64_t *ns)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now))
		return -errno;
	*ns = clock_ns(&now);
	return 0;
}
#endif

int clock_by_syscall(uint64_t *ns)
{
	int saved_errno = errno, error;

	*ns = 0;
	error = read_clock(ns);
	errno = saved_errno;
	return error;
}
