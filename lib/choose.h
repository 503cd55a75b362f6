/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The choice of a counter for this process: by the environment, else from the cache, else by a
 * probe. The caller holds the guard, and has installed it. */

#ifndef CPUCYCLES_CHOOSE_H
#define CPUCYCLES_CHOOSE_H

#include "cache.h"

#include <stdbool.h>

struct choice {
	const struct counter *counter; /* set up and ready */
	struct persecond persecond;
	struct rate rate; /* counts per second; 0 Hz: the rate varies, or is not known */
	uint64_t core_hz; /* the core's frequency, measured; 0: unknown */
	bool from_cache;
	enum cache_status cache_status;
};

struct choose_options {
	struct cache_context cache; /* path and own hold unless the environment names a cache */
	/* Not NULL: ignore the cache and probe every counter, into this array. */
	struct candidate *full_probe;
	/* Not NULL: the choice in use, which a reselection replaces. Its persecond stays, so that a
	 * counter that is set up again has the same scaling. */
	const struct choice *before;
};

void choose_counter(const struct choose_options *options, struct choice *choice);

/*
 * Set up a counter with the persecond of options->before, next to that choice. Then *rate is what
 * the choice's would be with this counter. False: it does not work, and *result has the reason.
 */
bool choose_other(const struct choose_options *options, const struct counter *counter,
		  struct candidate *result, struct rate *rate);

/* The rate of the counts of a counter that was set up with this persecond, if a time-stamp counter
 * runs at a fixed rate. Pure. */
struct rate choose_rate(const struct candidate *candidate, const struct persecond *persecond);

/* Change *cache to the file that the environment names, if it names one. False: the environment
 * forbids a cache. */
bool choose_cache(struct cache_context *cache);

#endif
