/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The list of counters that are compiled in, in list order. configure makes it from counters.am. */

#ifndef CPUCYCLES_COUNTERS_H
#define CPUCYCLES_COUNTERS_H

#include "counter.h"

#include <stddef.h>

/* Room for the list in arrays. The longest is that of x86-64, with 10 counters; counters.c checks
 * it. The benchmark with a made list compiles the library with another number. */
#ifndef COUNTERS_MAX
#define COUNTERS_MAX 16
#endif

extern const struct counter *const counters_list[];
extern const size_t counters_count;

/* Index in the list; counters_count if there is no such name. */
size_t counters_find(const char *name);

/* A hash of the names in list order, to tell a cache of another list. */
uint64_t counters_hash(void);

/* The counter that always works. */
const struct counter *counters_last_resort(void);

#endif
