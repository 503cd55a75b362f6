/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The list of counters that are compiled in, in list order. */

#ifndef CPUCYCLES_COUNTERS_H
#define CPUCYCLES_COUNTERS_H

#include "counter.h"

#include <stddef.h>

/* More than the list will ever have, for arrays on the way. */
#define COUNTERS_MAX 64

extern const struct counter *const counters_list[];
extern const size_t counters_count;

/* Index in the list; counters_count if there is no such name. */
size_t counters_find(const char *name);

/* The one that always works. */
const struct counter *counters_last_resort(void);

#endif
