/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The descriptors and pages of one struct perfevent. A sandbox may answer any of their system calls
 * with a signal: functions whose names have call_ are for guard_call, and end at that call. */

#ifndef CPUCYCLES_PERFEVENT_SET_H
#define CPUCYCLES_PERFEVENT_SET_H

#include "os/perfevent.h"

/* Call this first in each guard_call: in a child of fork, a descriptor that was being opened may be
 * another thread's. */
void perfevent_set_begin(void);

/* Open descriptors, all or none: a sum without one of the events would stand still on some cores. 0
 * or a negative errno. */
int perfevent_set_open(struct perfevent *event, const struct perfevent_kinds *which);

/* Close all but those that are lost: their numbers belong to the program. */
void perfevent_set_close(struct perfevent *event);

/* Map the pages of open descriptors. All are to be read or none, for the same reason. 0, or why the
 * last of those that failed could not be mapped: a negative errno. */
int perfevent_set_map(struct perfevent *event);

/* Whether the events are open, and those of this process. */
bool perfevent_set_is_counting(const struct perfevent *event);

/*
 * Whether events of these kinds can be opened: 0 or a negative errno. They are closed at once:
 * while the thread has its earlier events open, new ones may get no counter of the PMU, or not the
 * one whose register can be read.
 */
int perfevent_set_try(const struct perfevent_kinds *which);

/* Give descriptors and pages back. The next read has to open events. */
void perfevent_set_release(struct perfevent *event);

/* The same for a struct perfevent whose thread ends, so that no interrupted read needs the pages.
 */
void perfevent_set_call_end(void *event);

/* Close what a fault has cut off: an opening, or a try. */
void perfevent_set_call_close(void *unused);

#endif
