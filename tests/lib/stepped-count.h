/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A thread's count, which handlers of signals read at each moment of a read. Whoever includes this
 * defines READS_IN_HANDLER, READ_COUNTS and READ_COUNTS_MOST, which are how much one read adds, and
 * tick(). */

#ifndef CPUCYCLES_STEPPED_COUNT_H
#define CPUCYCLES_STEPPED_COUNT_H

#include "stepped.h"

/* What the handler does after its reads, and before. */
static enum { RETURNS, LEAVES, MOVES, MOVES_AND_LEAVES, KINDS } kind;

static volatile bool moved; /* to the other CPU */
static uint64_t first, last, in_handler;

static uint64_t tick(void);

static bool stays(void)
{
	return kind == RETURNS || kind == LEAVES;
}

static void read_once(void)
{
	last = tick();
}

static void run(void)
{
	stepped_call(read_once);
}

static void interrupt(void)
{
	if (!stays())
		moved = true;
	in_handler = tick();
	for (int i = 1; i < READS_IN_HANDLER; i++) {
		const uint64_t next = tick();

		unit_expect(next >= in_handler + READ_COUNTS &&
				    next <= in_handler + READ_COUNTS_MOST,
			    "the handler's counts go on");
		in_handler = next;
	}
	if (kind == LEAVES || kind == MOVES_AND_LEAVES)
		stepped_leave();
}

#endif
