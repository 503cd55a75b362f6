/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Reads free-running counters beside a clock. The caller holds the guard, installed. */

#ifndef CPUCYCLES_MEASURE_H
#define CPUCYCLES_MEASURE_H

#include "regress.h"
#include "selection.h"

#include <stdbool.h>

/* A run reads each counter so often at most, ... */
#define MEASURE_ROUNDS 256

/* ... and so often at least, without pauses once that takes so many times the budget, ... */
#define MEASURE_ROUNDS_MIN 24
#define MEASURE_OVERTIME 4

/* ... and each time so often in a row, to keep the pair with the narrowest bracket. */
#define MEASURE_TRIES 5

/* What a measured rate is expected to be within; beyond it a line is logged. */
#define MEASURE_PPM_GOAL 50

/* Whether it runs at a rate of its own, whatever this thread does. */
bool measure_is_free_running(const struct counter *counter);

/*
 * Readings of one counter, which is set up: as many as fit into the time. step: by how
 * much the counter moves at once. The pairs lie in static memory. False: it faulted.
 */
bool measure_record(const struct counter *counter, uint64_t step, uint64_t budget_ns,
		    struct regress_run *run);

/*
 * Set .measured of all usable candidates that run freely, in one run of this length:
 * the counters take turns.
 */
void measure_rates(struct candidate candidates[], size_t n, uint64_t persecond, uint64_t budget_ns);

#endif
