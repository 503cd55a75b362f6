/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Sentences for struct cpucycles_reason. What does not fit is cut off. A reason may be NULL: then
 * the caller does not ask for one. */

#ifndef CPUCYCLES_REASON_H
#define CPUCYCLES_REASON_H

#include "cpucycles-measure.h"

#include <stdbool.h>

/* Nothing is wrong. */
void reason_clear(struct cpucycles_reason *reason);

#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
/* What is wrong; the remedy becomes empty. error: a positive errno, or 0. Returns -error. */
int reason_say(struct cpucycles_reason *reason, int error, const char *format, ...);

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void reason_remedy(struct cpucycles_reason *reason, const char *format, ...);

/* The remedy for this error of a counter or an event, a positive errno. */
void reason_advise(struct cpucycles_reason *reason, int error);

/* Make one line of each text, whatever another process has written there. */
void reason_tidy(struct cpucycles_reason *reason);

/* Copy into the caller's structure, which may be of another version of the library. False: its size
 * is too small for anything. */
bool reason_give(struct cpucycles_reason *to, const struct cpucycles_reason *from);

#endif
