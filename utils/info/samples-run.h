/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What all kinds of samples share: counters next to the one in use, the time, and printing. And the
 * kinds. */

#ifndef CPUCYCLES_SAMPLES_RUN_H
#define CPUCYCLES_SAMPLES_RUN_H

#include "inspect.h"
#include "progress-line.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct samples_run {
	/* After inspect_cache, and after inspect_probe where no cache is in use. */
	const struct inspection *inspection;
	const char *kind;   /* for the line on a terminal */
	unsigned seconds;   /* how long to measure */
	uint64_t begun_ns;  /* when measuring began, by the raw clock */
	uint64_t budget_ns; /* the same as seconds */
	struct progress progress;
};

/* A counter that is ready. Its counts are cycles by the rule's scaling. */
struct samples_counter {
	const struct counter *counter;
	bool in_use; /* cpucycles() reads it */
	long long (*read)(void);
	/* From 0, in the cache in use or else in the fresh probe. SIZE_MAX: it is not there as a
	 * usable one. */
	size_t rank;
	uint64_t precision;   /* of the rule, in cycles, with the penalty; 0: unknown */
	struct ratio scaling; /* cycles per tick */
	/* Counts per second, as the cache states it, or else as the library tells it. 0 Hz: the
	 * counter has no fixed rate, or its rate is unknown. */
	struct rate rate;
	bool bounded; /* the cache states rate.ppm */
};

/* The counters that work here, made ready, in list order. How many. */
size_t samples_counters(const struct samples_run *run,
			struct samples_counter counters[COUNTERS_MAX]);

/* Whether the counts of this thread are made from a clock meanwhile, so that they are no samples
 * of this counter. If so, a comment line says it. */
bool samples_is_lost(const struct samples_counter *counter);

/* Whether the counter runs at a rate of its own, whatever the thread does, and the rate is
 * known. */
bool samples_has_rate(const struct samples_counter *counter);

/* A comment line; a tab stands after the key. */
void samples_comment(const char *key, const char *value);
void samples_comment_number(const char *key, uint64_t value); /* 0: "unknown" */

/* Begin to measure: the time counts from here. */
void samples_begin(struct samples_run *run);

uint64_t samples_elapsed_ns(const struct samples_run *run);

/* Hand the rows of now to whoever reads them, and show the progress. False: they cannot be
 * written. */
bool samples_hand_out(struct samples_run *run);

/* Sleep until elapsed_ns nanoseconds after the beginning. */
void samples_sleep_until(const struct samples_run *run, uint64_t elapsed_ns);

/* Stay on the CPU on which the process runs. A counter may jump where it moves to another one. */
void samples_stay_here(void);

/* The kinds of samples. Each prints its comment lines, the line of columns and the rows. False: not
 * all rows could be printed, and an error line says why if the reason is not standard output. */

/* How often each difference of adjacent counts occurs, for each counter. */
bool samples_noise(struct samples_run *run);

/* How far the counters of each two CPUs are apart. */
bool samples_skew(struct samples_run *run);

/* How far the rate of each counter is from what is stated of it. */
bool samples_drift(struct samples_run *run);

/* The frequency of a busy core, and the rate of the counter in use relative to it. */
bool samples_frequency(struct samples_run *run);

/* The times in which a CPU did something else than the thread that wanted it. */
bool samples_gaps(struct samples_run *run);

#endif
