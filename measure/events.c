/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "events.h"
#include "reason.h"

#include <errno.h>
#include <string.h>

#define ALIGNMENT 16

/* The number of this generic event (perf_event_open(2)). */
#define INSTRUCTIONS 1

/* Names tell which events are misses: names of the kernel, and names of CPU manuals. */
enum events_kind events_kind(const struct event_ask *ask)
{
	if ((ask->source == EVENT_HARDWARE && ask->number == INSTRUCTIONS) ||
	    (ask->source == EVENT_PMU && !strcmp(ask->terms, "instructions")))
		return EVENTS_INSTRUCTIONS;
	return strstr(ask->text, "miss") || strstr(ask->text, "MISS") ? EVENTS_MISSES :
									EVENTS_OTHER;
}

/* Of the group, and of one for trials. */
size_t events_bytes(void)
{
	return 2 * ((event_group_bytes() + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

size_t events_count(const char *list, struct reason_text *reason)
{
	struct event_ask ask;
	const char *text;
	size_t length, n = 0;

	while ((text = event_next(&list, &length))) {
		if (event_parse(text, length, &ask, reason))
			return 0;
		if (++n > EVENTS_MAX) {
			reason_say(reason, EINVAL, "more than %d events", EVENTS_MAX);
			return 0;
		}
	}
	if (n == 0)
		reason_say(reason, EINVAL, "the list of events is empty");
	return n;
}

/* Count cycles in the modes of the events in their group, so that the two can be divided. */
static void resolve_cycles(struct events *events)
{
	struct events_entry *cycles = &events->of[events->n];
	bool user = false, kernel = false;

	for (size_t i = 0; i < events->n; i++) {
		if (events->of[i].error || !events->of[i].event.hardware)
			continue;
		user |= events->of[i].event.user;
		kernel |= events->of[i].event.kernel;
	}
	if (!user && !kernel)
		user = true;
	cycles->event = (struct event){ .by_default = true,
					.ask = { .text = "cpu-cycles",
						 .source = EVENT_HARDWARE,
						 .user = user,
						 .kernel = kernel } };
	cycles->error = event_resolve(&cycles->event, &cycles->reason);
}

/* An event that counts otherwise is counted if the caller insists. */
static void judge(struct events_entry *entry, int error, bool force)
{
	entry->error = error == EVENT_IS_WRONG && force ? 0 : error;
}

static void try_alone(struct events *events, struct known *known, size_t i, bool force)
{
	struct events_entry *entry = &events->of[i];

	if (!entry->error)
		judge(entry, event_check_alone(&entry->event, events->trial, known, &entry->reason),
		      force);
}

/* A reason that names something else, such as a file of sysfs, gets the event's name before it. */
static void name_reason(struct events_entry *entry)
{
	const char *const name = entry->event.ask.text;
	struct reason_text reason = entry->reason;

	if (!entry->error || !strncmp(reason.what, name, strlen(name)))
		return;
	reason_say(&entry->reason, reason.error, "%s: %s", name, reason.what);
	reason_remedy(&entry->reason, "%s", reason.remedy);
}

/* Those that may be counted, in the order of the group. */
static size_t list_members(struct events *events, const struct event *members[])
{
	size_t n = 0;

	for (size_t i = 0; i <= events->n; i++) {
		if (events->of[i].error)
			continue;
		events->of[i].member = n;
		members[n++] = &events->of[i].event;
	}
	return n;
}

/* The entry of this member. If the group as a whole cannot be: first the cycles, which were not
 * requested, and then the last event of a PMU. */
static struct events_entry *to_leave_out(struct events *events, size_t member)
{
	struct events_entry *last = NULL;

	for (size_t i = 0; i <= events->n; i++) {
		struct events_entry *entry = &events->of[i];

		if (entry->error)
			continue;
		if (entry->member == member)
			return entry;
		if (entry->event.hardware || !last)
			last = entry;
	}
	return last;
}

/* Open the group, if need be without events that do not fit with the others. */
static void open_group(struct events *events)
{
	const struct event *members[EVENT_MEMBERS_MAX];
	struct reason_text reason;
	struct events_entry *out;
	size_t which;
	int error;

	for (;;) {
		events->members = list_members(events, members);
		if (events->members == 0)
			return;
		which = events->members;
		error = event_group_open(events->group, members, events->members, &which, &reason);
		if (!error)
			return;
		out = to_leave_out(events, which);
		out->error = error;
		out->reason = reason;
		/* Alone, each of them is possible. */
		if (out->event.hardware && (error == -ENOSPC || error == -EINVAL)) {
			out->error = reason_say(
				&out->reason, ENOSPC,
				"%s: the PMU cannot count it at the same time as the others",
				out->event.ask.text);
			reason_remedy(&out->reason, "count it in a run of its own");
		}
	}
}

/* Check the events once more in their group: some PMUs accept a group and count its first event
 * only. True: some are left out, and the group is to be opened anew. */
static bool check_group(struct events *events, struct known *known, bool force)
{
	const struct event *members[EVENT_MEMBERS_MAX];
	struct event_finding findings[EVENT_MEMBERS_MAX];
	bool again = false;
	int error;

	if (list_members(events, members) == 0)
		return false;
	error = event_check_works(events->group, members, events->members, known, findings);
	for (size_t i = 0; i <= events->n; i++) {
		struct events_entry *entry = &events->of[i];

		if (entry->error)
			continue;
		entry->finding = findings[entry->member];
		if (error)
			event_check_say_lost(&entry->event, &entry->reason);
		judge(entry,
		      error ? error :
			      event_check_judge(&entry->event, &entry->finding, &entry->reason),
		      force);
		again |= entry->error != 0;
	}
	return again;
}

static void open_all(struct events *events, struct known *known, unsigned how)
{
	const bool force = how & EVENTS_FORCE;

	for (size_t i = 0; i < events->n; i++)
		try_alone(events, known, i, force);
	events->cycles_by_meter = !(how & EVENTS_WITH_CYCLES);
	if (events->cycles_by_meter) {
		events->of[events->n].error = -EBUSY;
	} else {
		resolve_cycles(events);
		try_alone(events, known, events->n, force);
	}
	open_group(events);
	while (events->members && check_group(events, known, force)) {
		event_group_close(events->group);
		open_group(events);
	}
}

int events_open(struct events *events, void *memory, const char *list, unsigned how,
		struct reason_text *reason)
{
	struct known known;
	const char *text;
	size_t length;
	int error;

	events->group = memory;
	events->trial = (struct event_group *)((char *)memory + events_bytes() / 2);
	while ((text = event_next(&list, &length))) {
		struct events_entry *entry = &events->of[events->n++];

		reason_clear(&entry->reason);
		entry->error = event_parse(text, length, &entry->event.ask, &entry->reason);
		if (!entry->error)
			entry->error = event_resolve(&entry->event, &entry->reason);
	}
	reason_clear(&events->of[events->n].reason);
	error = known_open(&known);
	if (error)
		return reason_say(reason, -error, "no memory for work to check the events with: %s",
				  strerror(-error));
	open_all(events, &known, how);
	for (size_t i = 0; i < events->n; i++)
		name_reason(&events->of[i]);
	known_close(&known);
	return 0;
}

bool events_leave_out(struct events *events, const char *counter)
{
	struct events_entry *out = to_leave_out(events, events->n + 1);

	if (!out || !out->event.hardware)
		return false;
	event_group_close(events->group);
	out->error = -EBUSY;
	reason_say(&out->reason, EBUSY,
		   "%s: counting it would take the PMU's register from %s, which measures",
		   out->event.ask.text, counter);
	reason_remedy(&out->reason, "measure with another counter: -r any, or CPUCYCLES_COUNTER");
	open_group(events);
	return true;
}

/* A read has failed. */
static void lose(struct events *events)
{
	if (!events->lost)
		events->lost = event_group_lost(events->group);
	if (!events->lost)
		events->lost = -EAGAIN;
}

void events_start(struct events *events)
{
	if (events->members && event_group_read(events->group, events->before))
		lose(events);
	events->tsc = tsc_read();
}

void events_stop(struct events *events, double sums[])
{
	sums[EVENTS_SUMS - 1] += (double)(tsc_read() - events->tsc);
	if (!events->members)
		return;
	if (event_group_read(events->group, events->now)) {
		lose(events);
		return;
	}
	for (size_t i = 0; i <= events->n; i++) {
		const size_t member = events->of[i].member;

		if (!events->of[i].error)
			sums[i] += (double)(int64_t)(events->now[member] - events->before[member]);
	}
}

int events_are_lost(struct events *events)
{
	int lost = events->lost;

	if (!lost && events->members)
		lost = event_group_lost(events->group);
	events->lost = 0;
	return lost;
}

int events_read(struct events *events, uint64_t counts[], size_t n)
{
	int error;

	if (!events->members)
		return 0;
	error = event_group_read(events->group, events->now);
	if (error)
		return error;
	for (size_t i = 0; i < n && i < events->n; i++)
		if (!events->of[i].error)
			counts[i] = events->now[events->of[i].member];
	return 0;
}

void events_close(struct events *events)
{
	if (events->members)
		event_group_close(events->group);
	events->members = 0;
}
