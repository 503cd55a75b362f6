/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The events of a meter: the requested ones and the cycles, in one group. An
 * event that cannot be counted has a reason, and never a number. */

#ifndef CPUCYCLES_EVENTS_H
#define CPUCYCLES_EVENTS_H

#include "events/check.h"
#include "events/group.h"
#include "tsc.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums of all events, then of the cycles, and at the end of the time-stamp counter's ticks. */
#define EVENTS_SUMS (EVENTS_MAX + 2)

struct events_entry {
	struct event event;
	int error; /* why it is not counted: a negative errno */
	struct reason_text reason;
	size_t member; /* its place in the group, unless there is an error */
	struct event_finding finding;
};

struct events {
	size_t n;                                  /* that were asked for */
	struct events_entry of[EVENT_MEMBERS_MAX]; /* number n: the cycles */
	size_t members;                            /* of the group; 0: there is none */
	struct event_group *group, *trial;         /* memory */
	uint64_t before[EVENT_MEMBERS_MAX], now[EVENT_MEMBERS_MAX];
	int64_t tsc;
	int lost;             /* a count was void, as event_group_lost says; 0: none was */
	bool cycles_by_meter; /* the sum of the cycles is made of the meter's own counts */
};

/* What other figures are made of an event's counts. */
enum events_kind {
	EVENTS_OTHER,
	EVENTS_INSTRUCTIONS, /* per cycle */
	EVENTS_MISSES        /* per thousand instructions */
};

enum events_kind events_kind(const struct event_ask *ask);

/* How many events the list has, or 0: it makes no sense, and *reason says why. */
size_t events_count(const char *list, struct reason_text *reason);

/* Bytes of the memory that events_open needs. */
size_t events_bytes(void);

/* How to open events, as bits of a set. */
enum {
	EVENTS_FORCE = 1, /* an event that counts otherwise is counted all the same */
	/* The cycles of the core are counted with the events. Not where the meter itself reads
	 * them: some PMUs have one register of cycles, which a pinned group would take away. */
	EVENTS_WITH_CYCLES = 2
};

/*
 * Open the events of this list, which events_count has seen, for the calling thread. memory: so
 * many bytes, all zero. Each event is checked against known work, alone and in the group. 0, also
 * if no event can be counted; -ENOMEM.
 */
int events_open(struct events *events, void *memory, const char *list, unsigned how,
		struct reason_text *reason);

/* Leave out one more event of a PMU, because together they take the register of what is named here.
 * False: there is none left. */
bool events_leave_out(struct events *events, const char *counter);

/* Around the work: read all counts. sums: add what was counted in between; EVENTS_SUMS of them, by
 * the numbers of the entries, and the ticks of the time-stamp counter in the last one. */
void events_start(struct events *events);
void events_stop(struct events *events, double sums[]);

/* Whether a count since the last call of this function is void: 0, or as event_group_lost says. */
int events_are_lost(struct events *events);

/* Counts since the opening, in the order of the events. An event that is not counted leaves its
 * number as it is. 0 or -EAGAIN. */
int events_read(struct events *events, uint64_t counts[], size_t n);

void events_close(struct events *events);

#endif
