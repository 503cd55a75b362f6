/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A counter as a meter sees it: where its counts come from, and what they mean. Of measure/, only
 * source.c knows libcpucycles. */

#ifndef CPUCYCLES_SOURCE_H
#define CPUCYCLES_SOURCE_H

#include "reason.h"

#include <stdbool.h>
#include <stdint.h>

struct source {
	const char *name;
	long long (*read)(void);
	/* NULL, or what `read` makes its counts of: a register of the CPU, for pair.c. */
	long long (*read_register)(void);
	int (*lost)(
		const char *name); /* 1: the counts are made from a clock instead; NULL: never */
	unsigned number;           /* in the list of libcpucycles */
	int unit;                  /* CPUCYCLES_UNIT_CYCLES, ... */
	double units;              /* in one count: nanoseconds of a clock's count, else 1 */
	double rounding;           /* of a count that was made of whole units, in units */
	uint64_t hz, hz_ppm;       /* units per second; 0: the rate varies, or is unknown */
	bool own_thread;           /* counts of the calling thread only */
	bool in_use;               /* cpucycles() reads this counter */
	bool finest;               /* a finer one was asked for, and cannot be had */
	bool is_kperf;             /* the counter of kperf.h, which libcpucycles does not have */
	bool is_tsc;               /* the instruction RDTSC gives the same counts */
};

/* Look at counter number i of the list. -EINVAL: there is none. -ENOTSUP: it does not work here,
 * and *reason says why. On success *source has all but the reader. */
int source_look(unsigned i, struct source *source, struct reason_text *reason);

/* Make it ready, and fill in the reader. */
int source_ready(struct source *source, struct reason_text *reason);

/* Whether the kernel took the counter from this thread, so that its counts are made from a clock.
 */
bool source_is_lost(const struct source *source);

#endif
