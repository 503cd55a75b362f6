/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The names of events, and whether this machine counts them. */

#ifndef CPUCYCLES_EVENT_LIST_H
#define CPUCYCLES_EVENT_LIST_H

#include "name.h"

#include <stdbool.h>
#include <stdint.h>

struct event_listing {
	const char *pmu;  /* that counts it */
	const char *cpus; /* on these CPUs only; empty: on all */
	const char *name;
	const char *what;  /* what it counts, as the system says; may be empty */
	uint32_t word;     /* pctr's function word of it; 0: it has none */
	const char *mark;  /* "MESI" or "A", as pctr marks the word's unit mask; NULL: unmarked */
	bool tried;        /* the following is known */
	int error;         /* why it is not counted, a negative errno; 0: it is */
	bool expected;     /* it counted in known work as expected */
	bool user, kernel; /* what is counted */
	struct reason_text reason;
};

/*
 * Call back for each event; the events of one PMU follow each other. word: only events that have it
 * in their name, in the name of their PMU, in the text on it or in its mark, whatever the case;
 * each of these is opened and run over known work. It may also be an event that no list has, as a
 * code of the CPU's manual. NULL: all events, without a trial. The callback returns false to stop.
 * 0 or a negative errno.
 */
int event_list(const char *word, bool (*each)(void *context, const struct event_listing *listing),
	       void *context);

#endif
