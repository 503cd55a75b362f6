/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The PMUs of machines whose cores are not all alike, as sysfs shows them. */

#ifndef CPUCYCLES_CORE_PMUS_H
#define CPUCYCLES_CORE_PMUS_H

#include "os/perfevent.h"

#define CORE_PMUS_ROOT "/sys/bus/event_source/devices"

/*
 * The event for cycles on each PMU below root. 0, with kinds->n == 0 where one event of
 * no particular PMU does, or a negative errno: there are too many.
 */
int core_pmus_find(const char *root, struct perfevent_kinds *kinds);

#endif
