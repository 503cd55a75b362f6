/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a run's sums say of events: how often each happens in a call, or why this is unknown. */

#include "config.h"

#include "judge.h"
#include "sized.h"
#include "current-cpu.h"
#include "reason.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* The entry of an event. Its number among the entries is also the number of its sum. NULL: there
 * is none. */
static const struct events_entry *entry_of(const struct run *run, size_t event)
{
	const struct events *const events = run->events;

	if (!events || (event >= events->n && event != CPUCYCLES_EVENT_CYCLES))
		return NULL;
	return &events->of[event < events->n ? event : events->n];
}

int judge_event_info(const struct run *run, size_t event, struct cpucycles_event_info *info,
		     struct reason_text *reason)
{
	struct cpucycles_event_info f = { .size = sizeof f };
	const struct events_entry *const entry = entry_of(run, event);

	if (!entry)
		return -EINVAL;
	f.name = entry->event.ask.text;
	f.user = entry->event.user;
	f.kernel = entry->event.kernel;
	/* A reason next to a count says what the check of a forced event found. */
	f.checked = !entry->error && !entry->reason.what[0] &&
		    (entry->finding.expected || entry->event.ask.source == EVENT_BREAKPOINT);
	f.user_mode = !entry->error && !strcmp(event_group_way(run->events->group), "user mode");
	if (!sized_copy_out(info, &f, sizeof f))
		return -EINVAL;
	*reason = entry->reason;
	return entry->error;
}

/* What happens once in a million calls is no error of rounding. */
#define EVENT_NOTHING 1e-9

static bool is_by_meter(const struct run *run, size_t event)
{
	return event == CPUCYCLES_EVENT_CYCLES && run->events->cycles_by_meter;
}

/* *sum: the index of the event's sum. 0, or a negative errno: why the event is not counted. */
static int find_sum(const struct run *run, size_t event, size_t *sum)
{
	const struct events_entry *const entry = entry_of(run, event);

	*sum = EVENTS_SUMS - 1;
	if (run->events && event == CPUCYCLES_EVENT_TSC)
		return TSC_IS_HERE ? 0 : -ENOTSUP;
	if (!entry)
		return -EINVAL;
	*sum = (size_t)(entry - run->events->of);
	return is_by_meter(run, event) ? 0 : entry->error;
}

int judge_events_lost(const struct run *run, struct reason_text *reason)
{
	const int error = run->watch.events_lost;

	if (!error)
		return 0;
	if (error == EVENT_GROUP_CLOSED) {
		reason_say(reason, EAGAIN,
			   "a function or the program has closed the descriptors of the events");
		reason_remedy(reason, "let a function close only descriptors that it has opened, "
				      "or measure without events");
	} else {
		reason_say(reason, EAGAIN, "the events did not count all the time");
		reason_remedy(reason,
			      "measure again, on one CPU (taskset -c %d), with fewer events",
			      current_cpu_or_0());
	}
	return -EAGAIN;
}

int judge_event(const struct run *run, size_t i, size_t event, double *per_call)
{
	const struct track *track;
	double count;
	size_t sum;
	int error = find_sum(run, event, &sum);

	if (!error)
		error = judge_has_run(run, i);
	if (error)
		return error;
	/* All events are in one group, and cycles and ticks are of use with them only. */
	if (run->watch.events_lost || (run->watch.lost && is_by_meter(run, event)))
		return -EAGAIN;
	track = &run->tracks[i];
	if (track->event_samples == 0)
		return -ENODATA;
	count = track->event_sums[sum] / (double)track->event_samples - run->event_overhead[sum];
	*per_call = fabs(count) < EVENT_NOTHING ? 0 : count / run->iterations;
	return 0;
}
