/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Events as one operating system counts them: what an event is there, and a group of events that
 * count together for the calling thread. There is one implementation for each system, of which
 * configure takes one: group-linux.c, group-openbsd.c, group-macos.c and
 * group-none.c.
 */

#ifndef CPUCYCLES_EVENT_GROUP_H
#define CPUCYCLES_EVENT_GROUP_H

#include "name.h"

#include <stdbool.h>
#include <stdint.h>

/* Events that a meter may be opened with, and of a group, which has the cycles, too. */
#define EVENTS_MAX 16
#define EVENT_MEMBERS_MAX (EVENTS_MAX + 1)

/* An event as the system takes it. */
struct event_code {
	int kind; /* of core, from 0; -1: it counts on every core */
	uint32_t type;
	uint64_t config[3]; /* of a breakpoint: 0, its address, its length */
	unsigned access;    /* of a breakpoint */
};

struct event {
	struct event_ask ask;
	/* What is counted: events in user mode, in the kernel, or both. The letters may leave it to
	 * the event: by_default. Before event_resolve(): not asked for explicitly. */
	bool user, kernel, by_default;
	bool hardware;  /* a PMU of cores counts it: it may be missing, or read 0 */
	unsigned kinds; /* of core, in this machine */
	bool has_pmu;   /* this machine shows a PMU of cores */
	char cpus[64];  /* it counts on these only; empty: on all */
	struct event_code codes[EVENT_KINDS_MAX];
	unsigned n; /* codes: one, or one for each kind of core */
};

/* Find the codes of event->ask. 0 or a negative errno with *reason: -ENOENT: this machine has no
 * such event; -ENOTSUP: nor has this system. */
int event_resolve(struct event *event, struct reason_text *reason);

/* The modes that the letters say; without letters it is user mode, where the functions run that are
 * measured. */
static inline void event_set_modes(struct event *event)
{
	event->by_default = !event->ask.user && !event->ask.kernel;
	event->user = event->ask.user || event->by_default;
	event->kernel = event->ask.kernel;
}

/* An event of a PMU, where there is one kind of core. */
static inline void event_give(struct event *event, uint32_t type, uint64_t config)
{
	event->hardware = event->has_pmu = true;
	event->kinds = event->n = 1;
	event->codes[0] = (struct event_code){ .type = type, .config = { config } };
}

struct event_group;

/* Bytes of a group. */
size_t event_group_bytes(void);

/*
 * Open a group in this memory, of the calling thread. All of its events count from now on, at the
 * same time. 0 or a negative errno with *reason and *which, the event that could not be opened:
 * -EACCES: not permitted; -EMFILE: out of descriptors; -ENOSPC: the PMU cannot count all of them at
 * once; -ENOENT, -ENODEV: there is no such event here; -EINVAL: it cannot be counted in this way.
 */
int event_group_open(struct event_group *group, const struct event *const events[], size_t n,
		     size_t *which, struct reason_text *reason);

/* The counts since the opening, in the order of the events. From user mode where the system allows
 * that, else by a system call. 0; -EAGAIN: not all of them counted all the time. */
int event_group_read(struct event_group *group, uint64_t counts[]);

/* -EAGAIN: not all of the events counted all the time since the opening. EVENT_GROUP_CLOSED, where
 * the system tells it: because a descriptor of theirs was closed. By a system call. */
#define EVENT_GROUP_CLOSED 1
int event_group_lost(struct event_group *group);

/* How the counts are read: "user mode" or "system call". */
const char *event_group_way(const struct event_group *group);

void event_group_close(struct event_group *group);

#endif
