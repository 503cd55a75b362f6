/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Finds the PMUs of a machine's cores in sysfs, on machines whose cores are of several kinds. An
 * event of cycles counts on one PMU only, so a thread there needs an event for each.
 */

#ifndef CPUCYCLES_CORE_PMUS_H
#define CPUCYCLES_CORE_PMUS_H

#include "os/perfevent.h"

#define CORE_PMUS_ROOT "/sys/bus/event_source/devices"

/*
 * The event of cycles for each PMU of cores below root. 0; kinds->n is 0 where all cores are of one
 * kind, for which the generic event does. Or a negative errno: there are more than fit.
 */
int core_pmus_find(const char *root, struct perfevent_kinds *kinds);

#endif
