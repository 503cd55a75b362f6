/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How often an event happens in known work, and what its counts there say of it. Pure. */

#ifndef CPUCYCLES_EVENT_EXPECT_H
#define CPUCYCLES_EVENT_EXPECT_H

#include "known.h"
#include "name.h"

#include <stdbool.h>

/* What an expected count is a multiple of. */
enum expect_unit {
	EXPECT_TIMES, /* the event itself */
	EXPECT_NS,    /* nanoseconds that the thread ran */
	EXPECT_TSC    /* ticks of the time-stamp counter */
};

/* At least and at most so often in one work. */
struct expectation {
	enum known_work work;
	enum expect_unit unit;
	double least, most;
};

/* False: how often this event happens is unknown for all of the works. portable: the compiler has
 * made the chain, so it may have more instructions. */
bool expect_event(const struct event_ask *ask, bool user, bool kernel, bool portable,
		  struct expectation *expectation);

/* By the counts of the same work in user mode, in the kernel, and in both: whether the event counts
 * the same whatever it is asked for. */
bool expect_ignores_modes(double user, double kernel, double both);

#endif
