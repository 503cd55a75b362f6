/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Why something is refused, or what a warning says, as whole texts. A caller of the
 * library may have less room: reason_give() shortens them, and nothing else does. A reason may be
 * NULL: then the caller does not ask for one. */

#ifndef CPUCYCLES_REASON_H
#define CPUCYCLES_REASON_H

#include "cpucycles-measure.h"

/* Room for a sentence with the whole names and paths in it. No pointer, because a reason also
 * crosses from one process to another in shared memory. */
#define REASON_TEXT 512

struct reason_text {
	int error;                /* a positive errno; 0: no call failed */
	char what[REASON_TEXT];   /* what is wrong, with its figures */
	char remedy[REASON_TEXT]; /* what helps, a command if there is one; empty if nothing does */
};

/* Nothing is wrong. */
void reason_clear(struct reason_text *reason);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* What is wrong; the remedy becomes empty. error: a positive errno, or 0. Returns -error. */
int reason_say(struct reason_text *reason, int error, const char *format, ...);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void reason_remedy(struct reason_text *reason, const char *format, ...);

/* The remedy for this error of a counter or an event, a positive errno. */
void reason_advise(struct reason_text *reason, int error);

/* Make one line of each text, whatever another process has written there. */
void reason_tidy(struct reason_text *reason);

/* Copy into the caller's memory. 0, also if `to` is NULL; -EINVAL, -E2BIG: see sized_copy_in(). */
int reason_give(struct cpucycles_reason *to, const struct reason_text *from);

#endif
