/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The list of counters that are compiled in, in list order. */

#ifndef CPUCYCLES_COUNTERS_H
#define CPUCYCLES_COUNTERS_H

#include "counter.h"

#include <stddef.h>

/* How many they are, for arrays on the way. */
enum {
#define COUNTER(symbol) COUNTERS_HAS_##symbol,
#include "counters.inc"
#undef COUNTER
	COUNTERS_MAX
};

extern const struct counter *const counters[];
extern const size_t counters_count;

/* Index in the list; counters_count if there is no such name. */
size_t counters_find(const char *name);

/* The one that always works. */
const struct counter *counters_last_resort(void);

#endif
