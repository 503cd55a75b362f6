/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Checks events by work in which it is known how often they happen. A PMU may accept an event that
 * it does not have, and count nothing or something else. */

#ifndef CPUCYCLES_EVENT_CHECK_H
#define CPUCYCLES_EVENT_CHECK_H

#include "expect.h"
#include "group.h"

#include <stdbool.h>
#include <stddef.h>

/* What an event counted in the works. */
struct event_finding {
	bool expected; /* how often the event happens in one of them is known */
	struct expectation expectation;
	double unit;    /* what the expectation is a multiple of */
	double counted; /* in that work, or in all of them */
};

/* An event that does not count what it should. */
#define EVENT_IS_WRONG (-EDOM)

/*
 * Whether one event can be counted here, and whether it counts user mode and the kernel apart if it
 * is asked to. memory: for a group. The event counts both from then on if it cannot tell them apart
 * and no letters were given. 0 or a negative errno with *reason; EVENT_IS_WRONG: it can be counted,
 * but does not count what it should.
 */
int event_check_alone(struct event *event, struct event_group *memory, struct known *known,
		      struct reason_text *reason);

/* Run the works while a group of these events counts. 0 or a negative errno of reading it. */
int event_check_works(struct event_group *group, const struct event *const events[], size_t n,
		      struct known *known, struct event_finding findings[]);

/* What the finding says of the event: 0, or EVENT_IS_WRONG with *reason. */
int event_check_judge(const struct event *event, const struct event_finding *finding,
		      struct reason_text *reason);

/* The reason for an event that did not count all the time. */
void event_check_say_lost(const struct event *event, struct reason_text *reason);

#endif
