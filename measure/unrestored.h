/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* State that a function changes and does not restore. */

#ifndef CPUCYCLES_UNRESTORED_H
#define CPUCYCLES_UNRESTORED_H

#include "reason.h"
#include "state.h"

#include <stdbool.h>

struct unrestored {
	bool direction;      /* the direction flag was set */
	bool control;        /* the control registers were others */
	struct state before; /* if so: the registers when the function began, and */
	struct state after;  /* when it returned and the change was first seen */
	int signal;          /* this one is blocked, or, below 0, no longer; 0: the same mask */
	bool by_any;         /* seen only after the run: any of its functions may have done it */
};

/* Look at the control registers after a call that began with `before`. */
void unrestored_look(struct unrestored *unrestored, const struct state *before,
		     const struct state *after);

/* Whether there is anything to say. Pure. */
bool unrestored_any(const struct unrestored *unrestored);

/* The sentence on it. Pure. */
void unrestored_say(const struct unrestored *unrestored, struct reason_text *reason);

#endif
