/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the made systems of this folder share: groups of a list's events, and results as lines. */

#ifndef CPUCYCLES_ELSEWHERE_DRIVER_H
#define CPUCYCLES_ELSEWHERE_DRIVER_H

#include "events/group.h"
#include "reason.h"

#include <stddef.h>

/* The remaining arguments of the program: each is what the counters show at one look. */
extern char **looks;

/* The events of the program's first argument that could be resolved. */
extern struct event events[EVENTS_MAX + 1];
extern const struct event *members[EVENTS_MAX + 1];
extern struct reason_text reason;

/* What a system does with n members; it has at least one look. */
void drive(size_t n);

/* Memory for the group number i, 0 or 1. */
struct event_group *group(unsigned i);

/* Open that group with n members, and print why if it cannot be opened. */
int open_group(unsigned i, size_t n);

/* Read group 0 until the looks are used up, print the counts, and close it. If the environment has
 * `lost`, the last look is for event_group_lost. */
void read_and_close(size_t n);

void print_result(const char *what, int error);

/* -1 and NUMBER as errno if the environment has fail=KEY:NUMBER, else 0. */
int fails(const char *key);

#endif
