/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Why Linux refuses to open an event, and what helps: what perf_event_open(2) means by its errors.
 */

#ifndef CPUCYCLES_EVENT_REFUSAL_H
#define CPUCYCLES_EVENT_REFUSAL_H

#include "group.h"

/* error: a positive errno, here and below. */
void event_refusal_say(const struct event *event, int error, struct reason_text *reason);

/* The sentence on an error that another system call has given. If there are no descriptors, the
 * limit is named. */
void event_refusal_limit(const char *name, int error, struct reason_text *reason);

#endif
