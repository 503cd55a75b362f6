/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A loop that does nothing but read the clock. Where two readings are far apart, the CPU did
 * something else: a gap. */

#ifndef CPUCYCLES_GAPS_H
#define CPUCYCLES_GAPS_H

#include "own.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* No interrupt takes longer, unless it brings work for a softirq. In ns. */
#define GAPS_INTERRUPT_MAX 100000

/* No softirq takes longer. In ns. */
#define GAPS_SOFTIRQ_MAX 2000000

/* Gaps whose begin and length are kept. */
#define GAPS_KEPT 4096

struct gap {
	uint64_t begin, ns; /* begin: of the raw clock */
};

/* Gaps of one kind, and their time without that in which the thread waited for a CPU. */
struct gaps_rest {
	uint64_t number, ns;
};

/* All times in ns, without those in which the thread itself did not want to run: stopped, frozen.
 * Several runs of the loop add up. */
struct gaps {
	uint64_t ns; /* that the loop ran, with its gaps */
	uint64_t number, lost, longest;
	struct own_rise own;        /* the kernel's account of this thread */
	struct gaps_rest switching; /* the thread waited, and this is what the switch itself took */
	struct gaps_rest middle;    /* above GAPS_INTERRUPT_MAX */
	struct gaps_rest uncounted; /* above GAPS_SOFTIRQ_MAX */
	struct gaps_rest moved;     /* gaps after which the thread was on another CPU */
	size_t kept;
	struct gap list[GAPS_KEPT];
};

/* Run the loop until the raw clock shows `end`. After a gap above GAPS_INTERRUPT_MAX, the kernel's
 * account of the thread is read: that takes the loop a few system calls, whose time is left out. */
void gaps_look(struct own *own, uint64_t end, struct gaps *gaps);

/* Look for `ns` on the CPU where the thread is. lost: the part of the time that was lost, 0 to
 * 1; waited: the part in which other programs had the CPU, or a quota was used up. False: the clock
 * cannot be read fast, or the time was over before the look began. */
bool gaps_brief(uint64_t ns, double *lost, double *waited);

#endif
