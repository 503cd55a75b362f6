/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Reads counters that run freely together with a clock, for their rates. The caller holds the
 * guard, installed. */

#ifndef CPUCYCLES_RATES_H
#define CPUCYCLES_RATES_H

#include "regress.h"
#include "selection.h"

#include <stdbool.h>

/* Rounds of a run at most, with pauses between them. A round reads each counter once. */
#define RATES_ROUNDS 256

/* A busy machine may take the CPU away for long, so this many rounds are made even after the
 * budget. */
#define RATES_ROUNDS_MIN 16

/* A core that takes longer to prepare a run makes fewer rounds. */
#define RATES_PREPARED_NS 5000000

/* Tries of a reading at most. The one in which the two counts are closest is kept. */
#define RATES_TRIES 5

/* A rate whose bound is wider is logged as a warning. */
#define RATES_PPM_GOAL 50

/* Whether the counter runs at a rate of its own, whatever this thread does. */
bool rates_is_free_running(const struct counter *counter);

/*
 * Record one counter, which is set up. step: by how much it moves at once. The pairs of *run lie in
 * static memory. False: counter or clock faulted, or the clock stands still.
 */
bool rates_record(const struct counter *counter, uint64_t step, uint64_t budget_ns,
		  struct regress_run *run);

/* How long to read, and how often at most. Between the readings the CPU is free, so fewer rounds
 * take less of its time. A wide gap between two rounds hides a jump of the clock, which widens the
 * bound. */
struct rates_plan {
	uint64_t budget_ns;
	size_t rounds; /* from RATES_ROUNDS_MIN to RATES_ROUNDS */
};

/*
 * Rounds of a plan for a core that took so long (ns) to prepare a run. Evaluating the rounds takes
 * time by the square of their number: on a slow core, longer than reading them. Pure.
 */
size_t rates_rounds(uint64_t prepared_ns);

/*
 * The pause after a round: what is left of its part of the budget. 0: nothing, as on a slow core,
 * which a pause would cost as much again; or the budget is used up. Each pause gives the CPU away,
 * and a busy machine may return it so late that hardly any rounds fit into the budget. The missing
 * ones then follow without pauses: a bound gets narrow by the time between the first and the last
 * reading, which is long enough by then. Pure.
 */
uint64_t rates_pause_ns(const struct rates_plan *plan, uint64_t round_ns, uint64_t elapsed_ns);

/* Set .measured of all usable candidates that run freely. One run records them all in turns. */
void rates_measure(struct candidate candidates[], size_t n, uint64_t persecond,
		   const struct rates_plan *plan);

#endif
