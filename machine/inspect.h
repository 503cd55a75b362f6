/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Asks the library of this process what it chose, and looks at the cache and the counters itself to
 * find out why. */

#ifndef CPUCYCLES_INSPECT_H
#define CPUCYCLES_INSPECT_H

#include "cache.h"
#include "knobs.h"
#include "model.h"
#include "persecond.h"
#include "service.h"

#include <stdbool.h>
#include <sys/stat.h>

struct inspection {
	/* What the library of this process says. */
	const char *implementation;
	const char *selection; /* "cache" or "probe" */
	const char *status;    /* of the cache, as cpucycles_cache_status() tells it */
	struct {
		long long hz;
		const char *source;
		long long ppm; /* bound of the error of hz; negative: unknown */
	} persecond;
	struct {
		long long hz, ppm;  /* as cpucycles_hz() and cpucycles_hz_ppm() tell them */
		const char *source; /* see inspect_rate_source */
		const char *why;    /* if the rate is not fixed: a sentence; else NULL */
	} rate;
	/* Counts in a second, as cpucycles_nanoseconds() counts, within a millionth; 0: there is no
	 * such number.
	 */
	double second;

	/* What a second look finds. */
	struct cache_context context; /* the file that the library looks at */
	bool wanted;                  /* false: the environment asks for no cache */
	bool environment_ignored;     /* it asks for something, but this process is AT_SECURE */
	struct cache_verdict found;
	int signal;         /* the signal that ended the look, or 0 */
	struct cache cache; /* library[0] is 0 if the file is not a whole cache */
	bool exists;        /* if so, file is set */
	struct stat file;   /* by lstat(2) */
	bool may_replace;   /* nothing is known against a cache of the calibrator's in its place */
	char boot[MACHINE_BOOT_SIZE];        /* this boot; empty: unknown */
	int boot_error;                      /* why it is unknown: a negative errno, or 0 */
	char machine[MACHINE_IDENTITY_SIZE]; /* this machine */
	struct persecond_file persecond_file;
	char persecond_text[PERSECOND_TEXT_SIZE]; /* of that file, as far as it was read */
	enum machine_tsc tsc;                     /* of this machine now */
	const char *disagreement; /* a sentence; NULL if core and counter agree or one is unknown */
	struct service service;
	struct knobs knobs;
	/* What a try of the cached counter of this rank finds in this process. REASON_NONE: it
	 * works, or does not count core cycles and was not tried. */
	struct candidate tried[COUNTERS_MAX];

	/* What a fresh probe finds, in rank order; only after inspect_probe. */
	struct candidate fresh[COUNTERS_MAX];
};

/* Whether the library of this process started from the cache. */
bool inspect_in_use(const struct inspection *inspection);

/*
 * Where the rate of the counter in use comes from. "measured": the calibrator measured it against a
 * clock. "definition": the counter is a clock. "told": the CPU or the OS tells it. "unknown", or
 * "none" if the counter runs at no fixed rate. measured: the rate in the cache, or NULL. Pure.
 */
const char *inspect_rate_source(enum counter_class class, struct rate rate,
				const struct rate *measured);

/* Whether the calibrator puts a cache in the place of what lies at this path, or what lies there
 * under this name in an open folder. At the default path it mends whatever it finds. 0 or a
 * negative errno, as publish_may_replace says; -EEXIST: no. */
int inspect_may_replace(const char *path, int folder, const char *name);

/* False: the guard cannot be had, so nothing was looked at. inspect_cache comes first. */
bool inspect_cache(struct inspection *inspection);
bool inspect_probe(struct inspection *inspection);

/* The CPU's model as model_read finds it, or the architecture if the guard cannot be had. */
void inspect_model(char model[MODEL_SIZE]);

/* All counters in rank order: the cache's where the library started from the cache, else that of
 * the fresh probe. Where there was no probe either, the first has no counter. Pure. */
const struct candidate *inspect_ranking(const struct inspection *inspection);

/*
 * The best counter of core cycles that works here and ranks after the counter in use, or NULL. The
 * ranking is that of inspect_ranking. *rank is from 1. NULL also where the counter in use counts
 * core cycles. Pure.
 */
const struct candidate *inspect_core_counter(const struct inspection *inspection, size_t *rank);

/* How a counter of the fresh probe differs from the same counter in the cache. */
struct inspect_difference {
	const struct candidate *cached; /* NULL: there is no cached ranking */
	size_t fresh_rank, cached_rank; /* from 1; 0: unusable */
	/* What differs: "rank", "precision", "reason", "newly-usable" or "newly-unusable"; NULL
	 * after the last one. */
	const char *marks[3];
};

/* Precisions that differ by more than this part of the larger one are marked as different. */
#define INSPECT_PRECISION_PERCENT 25

/* The difference of inspection->fresh[i]. Pure. */
struct inspect_difference inspect_difference(const struct inspection *inspection, size_t i);

#endif
