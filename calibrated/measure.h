/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Reads counters that run freely beside a clock, for their rates. The caller holds the guard,
 * installed. */

#ifndef CPUCYCLES_MEASURE_H
#define CPUCYCLES_MEASURE_H

#include "regress.h"
#include "selection.h"

#include <stdbool.h>

/* Rounds of a run at most, with pauses between them. A round reads each counter once. */
#define MEASURE_ROUNDS 256

/* A busy machine may take the CPU away for long, so this many rounds are made even after the
 * budget. */
#define MEASURE_ROUNDS_MIN 16

/* Tries of a reading at most. The one in which the two counts are closest is kept. */
#define MEASURE_TRIES 5

/* A rate whose bound is wider is logged as a warning. */
#define MEASURE_PPM_GOAL 50

/* Whether the counter runs at a rate of its own, whatever this thread does. */
bool measure_is_free_running(const struct counter *counter);

/*
 * Record one counter, which is set up. step: by how much it moves at once. The pairs of *run lie in
 * static memory. False: counter or clock faulted, or the clock stands still.
 */
bool measure_record(const struct counter *counter, uint64_t step, uint64_t budget_ns,
		    struct regress_run *run);

/* How long to read, and how often at most. Between the readings the CPU is free, so fewer rounds
 * take less of its time. A wide gap between two rounds hides a jump of the clock, which widens the
 * bound. */
struct measure_plan {
	uint64_t budget_ns;
	size_t rounds; /* from MEASURE_ROUNDS_MIN to MEASURE_ROUNDS */
};

/* Set .measured of all usable candidates that run freely. One run records them all in turns. */
void measure_rates(struct candidate candidates[], size_t n, uint64_t persecond,
		   const struct measure_plan *plan);

#endif
