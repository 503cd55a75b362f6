/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The causes of noise, and one line about each: how much time a cause took, how that is known, and
 * what helps on this machine. To add a cause: its name in blame.c, its rule in blame_gaps() or in
 * speed-blame.c, and its words in cpucycles-info(1). */

#ifndef CPUCYCLES_CAUSE_H
#define CPUCYCLES_CAUSE_H

#include <stddef.h>

enum noise_cause {
	NOISE_PROGRAMS,   /* other programs had the CPU */
	NOISE_HOST,       /* the host had it (steal), or the firmware (SMI) */
	NOISE_INTERRUPTS, /* interrupts and the timer tick */
	NOISE_QUOTA,      /* the quota of a cgroup */
	/* From here to memory: without gaps. */
	NOISE_FREQUENCY, /* the core's frequency changed */
	NOISE_THROTTLED, /* phases in which every instruction was slow, without a gap */
	NOISE_IDLE,      /* waking up from an idle state */
	NOISE_NEIGHBOUR, /* another thread on the same core (SMT) */
	NOISE_MEMORY,    /* caches and memory that others use as well */
	NOISE_MIGRATION, /* the thread moved between CPUs or NUMA nodes */
	NOISE_UNEXPLAINED,
	NOISE_CAUSES
};

enum noise_known {
	NOISE_SEEN,     /* it took time, and there is a proof */
	NOISE_NOT_SEEN, /* it was looked for, and took no time that matters */
	NOISE_NOT_KNOWN /* what would show it cannot be read here */
};

#define NOISE_TEXT 200

struct noise_line {
	enum noise_cause cause;
	enum noise_known known;
	double share; /* of the time of a program that wants to run, or of the rest: 0 to 1 */
	char proof[NOISE_TEXT];  /* the figures that show it, or why it is not known */
	char remedy[NOISE_TEXT]; /* what helps on this machine; empty: nothing is needed */
};

#endif
