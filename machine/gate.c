/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "gate.h"

#include <errno.h>
#include <signal.h>

/* What keeps perf events from a process that the kernel refused one. */
static enum gate gate_of_events(const struct knobs *knobs)
{
	const enum knob_state state = knobs_events(knobs);

	if (state == KNOB_CLOSED)
		return GATE_KNOB;
	return state == KNOB_OPEN ? GATE_FILTER : GATE_NONE;
}

enum gate gate_of(const struct candidate *c, const struct knobs *knobs)
{
	if (!counter_counts_core(c->counter->class))
		return GATE_NONE;
	/* perf_event_open(2): what mmap(2) of an event's page says beyond that limit. */
	if (c->reason == REASON_CLOSED && c->detail)
		return c->detail == EPERM ? GATE_MEMORY : GATE_NONE;
	if (c->reason == REASON_CLOSED)
		return knobs_hide_counters(knobs) ? GATE_KNOB : GATE_NONE;
	if (c->reason == REASON_SIGNAL && c->detail == SIGSYS)
		return GATE_NO_CALL;
	if (c->reason == REASON_SIGNAL)
		return c->detail == SIGILL ? GATE_INSTRUCTION : GATE_NONE;
	if (c->reason != REASON_ERRNO)
		return GATE_NONE;
	/* A kernel without perf events has no such settings either. */
	if (c->detail == ENOSYS)
		return knobs_events(knobs) == KNOB_ABSENT ? GATE_NONE : GATE_NO_CALL;
	/* perf_event_open(2). */
	if (c->detail == ENOENT || c->detail == ENODEV || c->detail == EOPNOTSUPP)
		return GATE_ABSENT;
	return c->detail == EACCES || c->detail == EPERM ? gate_of_events(knobs) : GATE_NONE;
}
