/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which CPU runs the calling thread. */

#ifndef CPUCYCLES_CURRENT_CPU_H
#define CPUCYCLES_CURRENT_CPU_H

#if defined(HAVE_SCHED_GETCPU)
#include <sched.h>
#endif

/* -1: nothing tells it. */
static inline int current_cpu(void)
{
#if defined(HAVE_SCHED_GETCPU)
	return sched_getcpu();
#else
	return -1;
#endif
}

/* A CPU for advice such as "taskset -c 1". CPU 0 may be offline or forbidden, and this one is
 * neither. */
static inline int current_cpu_or_0(void)
{
	const int cpu = current_cpu();

	return cpu < 0 ? 0 : cpu;
}

#endif
