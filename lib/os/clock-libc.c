/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* CLOCK_MONOTONIC on systems where only libc makes system calls. */

#include "config.h"

#include "os/clock.h"

#include <errno.h>

int clock_by_syscall(uint64_t *ns)
{
	struct timespec now = { .tv_sec = 0 };
	int saved_errno = errno, error = 0;

	if (clock_gettime(CLOCK_MONOTONIC, &now))
		error = -errno;
	*ns = error ? 0 : clock_ns(&now);
	errno = saved_errno;
	return error;
}
