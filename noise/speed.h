/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What makes instructions slow although nothing interrupts them: no loop that looks for gaps sees
 * it. Small probes are timed in turns, again and again: what slows one of them and not the others
 * has a name. */

#ifndef CPUCYCLES_SPEED_H
#define CPUCYCLES_SPEED_H

#include "cause.h"
#include "settings.h"

#include <stdbool.h>
#include <stdint.h>

enum speed_probe {
	SPEED_CHAIN,       /* instructions that wait for each other: the core's frequency */
	SPEED_READINGS,    /* readings of the clock */
	SPEED_INDEPENDENT, /* instructions that a core executes side by side */
	SPEED_NEAR,        /* steps in memory, each of which waits for the one before: */
	SPEED_MIDDLE,      /* such as a second and a last level of cache hold */
	SPEED_FAR,
	SPEED_PROBES
};

/* The memory that the walks use, in KiB. */
#define SPEED_NEAR_KIB 256
#define SPEED_MIDDLE_KIB 4096
#define SPEED_FAR_KIB 65536

/* In a window, each probe is run a few times: the median is kept, which no gap reaches. */
#define SPEED_WINDOWS 2048

#define SPEED_SLEEPS 15
#define SPEED_SLEEP_NS 1000000
#define SPEED_AWAKE_NS 20000 /* after a sleep, how long is looked at */

struct noise_speed {
	uint64_t ns; /* that all windows took together */
	size_t windows;
	uint64_t at[SPEED_WINDOWS];                /* ns since the first one */
	double ns_of[SPEED_PROBES][SPEED_WINDOWS]; /* of one instruction, reading or step */
	bool walked;                               /* the walks are there */
	bool exact;                                /* an instruction of the chain is one cycle */
	size_t sleeps;
	double spun[SPEED_SLEEPS], slept[SPEED_SLEEPS]; /* the chain, before and after a sleep */
	struct noise_settings settings;
	uint64_t hot; /* how often the CPU became too hot meanwhile */
};

/* Look for `budget_ns`. The caller has pinned the thread to this CPU. A short look leaves out the
 * sleeps and the walks. */
void noise_speed_look(int cpu, uint64_t budget_ns, struct noise_speed *speed);

/* A line for each cause that such a look can show. How many. Pure. */
size_t noise_speed_blame(const struct noise_speed *speed, struct noise_line lines[NOISE_CAUSES]);

#endif
