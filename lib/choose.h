/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One process's choice of a counter: the environment, the cache, else a probe.
 * The caller holds the guard, installed. */

#ifndef CPUCYCLES_CHOOSE_H
#define CPUCYCLES_CHOOSE_H

#include "cache.h"

#include <stdbool.h>

struct choice {
	const struct counter *counter; /* set up and ready */
	struct persecond persecond;
	struct rate rate; /* counts per second; 0 Hz: not fixed, or not known */
	bool from_cache;
	enum cache_status cache_status;
};

struct choose_options {
	struct cache_context cache; /* own and path: unless the environment names another */
	/* Not NULL: probe every counter whatever the cache says, into this array. */
	struct candidate *full_probe;
	/* Not NULL: the choice that is in use. Its persecond holds for the whole process, so that
	 * nobody is asked again, and a counter that is set up again is what it was. */
	const struct choice *before;
};

void choose_counter(const struct choose_options *options, struct choice *choice);

/* Counts per second of a counter that was set up with this persecond. Pure. */
struct rate choose_rate(const struct candidate *candidate, const struct persecond *persecond);

/* The cache that this process reads: the default one, or the one the environment names.
 * False: the environment wants none. */
bool choose_cache(struct cache_context *cache);

#endif
