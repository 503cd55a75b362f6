/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A second look at what the library does: its cache, and its counters. */

#ifndef CPUCYCLES_INSPECT_H
#define CPUCYCLES_INSPECT_H

#include "cache.h"

#include <stdbool.h>
#include <sys/stat.h>

struct inspection {
	/* What the library of this process says. */
	const char *implementation;
	const char *selection; /* "cache" or "probe" */
	const char *status;    /* of the cache: the stable word */
	struct {
		long long hz;
		const char *source;
		long long ppm; /* bound of its error; negative: unknown */
	} persecond;
	struct {
		long long hz, ppm;  /* as cpucycles_hz() has them */
		const char *source; /* see inspect_rate_source */
	} rate;

	/* What a second look finds. */
	struct cache_context context; /* the file that the library looks at */
	bool wanted;               /* false: the environment wants no cache */
	bool environment_ignored;  /* it says something, but the process is AT_SECURE */
	struct cache_verdict found;
	int signal;                /* that ended the look, or 0 */
	struct cache cache;        /* library[0] is 0 where it is not whole */
	bool exists;               /* file is set */
	struct stat file;          /* by lstat(2) */
	char boot[MACHINE_BOOT_SIZE]; /* this one; empty: unknown */
	int boot_error;               /* why it is unknown: a negative errno, or 0 */
	char machine[MACHINE_IDENTITY_SIZE]; /* this one */
	struct persecond_file persecond_file;
	const char *disagreement;     /* a sentence; NULL where core and counter agree,
					 or nobody measured them */

	/* In rank order; only after inspect_probe. */
	struct candidate fresh[COUNTERS_MAX];
};

/* Whether the library of this process started from the cache. */
bool inspect_in_use(const struct inspection *inspection);

/*
 * Where the rate of a counter in use comes from: "measured" against a clock,
 * "definition" of the clock that it is, "told" by the CPU or the OS, "unknown", or
 * "none" if it runs at no fixed rate. measured: what the cache in use has, or NULL. Pure.
 */
const char *inspect_rate_source(enum counter_class class, struct rate rate,
				const struct rate *measured);

/* False if the guard can't be had. */
bool inspect_cache(struct inspection *inspection);
bool inspect_probe(struct inspection *inspection);

/* How a counter of the fresh probe differs from the cached one. */
struct inspect_difference {
	const struct candidate *cached; /* NULL: there is no cached ranking */
	size_t fresh_rank, cached_rank; /* from 1; 0: unusable */
	bool rank, precision, usable, reason;
};

/* Precisions that differ by more than this part of the larger one are marked. */
#define INSPECT_PRECISION_PERCENT 25

/* Pure. i: of inspection->fresh. */
struct inspect_difference inspect_difference(const struct inspection *inspection, size_t i);

bool inspect_differs(const struct inspect_difference *difference);

#endif
