/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a function leaves behind that it should have put back. */

#ifndef CPUCYCLES_LEFT_H
#define CPUCYCLES_LEFT_H

#include "cpucycles-measure.h"
#include "state.h"

#include <stdbool.h>

struct left {
	bool direction;      /* the direction flag was set */
	bool control;        /* the control registers were others */
	struct state before; /* if so: those that the function began with, and */
	struct state after;  /* those that it returned with, when that was first seen */
	int signal;          /* this one is blocked, or, below 0, no longer; 0: the same mask */
	bool by_any;         /* seen only after the run: any of its functions may have done it */
};

/* Look at the control registers after a call that began with `before`. */
void left_look(struct left *left, const struct state *before, const struct state *after);

/* Whether there is anything to say. Pure. */
bool left_any(const struct left *left);

/* The sentence on it. Pure. */
void left_say(const struct left *left, struct cpucycles_reason *reason);

#endif
