/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "obstacle.h"

#include <errno.h>
#include <signal.h>

/* What keeps perf events from a process that the kernel refused one. */
static enum obstacle obstacle_to_events(const struct knobs *knobs)
{
	const enum knob_state state = knobs_events(knobs);

	if (state == KNOB_CLOSED)
		return OBSTACLE_SETTING;
	return state == KNOB_OPEN ? OBSTACLE_FILTER : OBSTACLE_NONE;
}

enum obstacle obstacle_of(const struct candidate *c, const struct knobs *knobs)
{
	if (!counter_counts_core(c->counter->class))
		return OBSTACLE_NONE;
	/* perf_event_open(2): what mmap(2) of an event's page says beyond that limit. */
	if (c->reason == REASON_CLOSED && c->detail)
		return c->detail == EPERM ? OBSTACLE_MEMORY : OBSTACLE_NONE;
	if (c->reason == REASON_CLOSED)
		return knobs_hide_counters(knobs) ? OBSTACLE_SETTING : OBSTACLE_NONE;
	if (c->reason == REASON_SIGNAL && c->detail == SIGSYS)
		return OBSTACLE_NO_CALL;
	if (c->reason == REASON_SIGNAL)
		return c->detail == SIGILL ? OBSTACLE_INSTRUCTION : OBSTACLE_NONE;
	if (c->reason != REASON_ERRNO)
		return OBSTACLE_NONE;
	/* A kernel without perf events has no such settings either. */
	if (c->detail == ENOSYS)
		return knobs_events(knobs) == KNOB_ABSENT ? OBSTACLE_NONE : OBSTACLE_NO_CALL;
	/* perf_event_open(2). */
	if (c->detail == ENOENT || c->detail == ENODEV || c->detail == EOPNOTSUPP)
		return OBSTACLE_ABSENT;
	return c->detail == EACCES || c->detail == EPERM ? obstacle_to_events(knobs) :
							   OBSTACLE_NONE;
}
