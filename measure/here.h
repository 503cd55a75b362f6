/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which CPU runs the calling thread. */

#ifndef CPUCYCLES_HERE_H
#define CPUCYCLES_HERE_H

#if defined(HAVE_SCHED_GETCPU)
#include <sched.h>
#endif

/* -1: nothing tells it. */
static inline int here_cpu(void)
{
#if defined(HAVE_SCHED_GETCPU)
	return sched_getcpu();
#else
	return -1;
#endif
}

/* A CPU for advice such as "taskset -c 1". CPU 0 may be offline or forbidden, and this one is
 * neither. */
static inline int here_to_stay(void)
{
	const int cpu = here_cpu();

	return cpu < 0 ? 0 : cpu;
}

#endif
