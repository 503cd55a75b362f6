/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The rule that selects a counter: pure functions over arrays. */

#ifndef CPUCYCLES_SELECTION_H
#define CPUCYCLES_SELECTION_H

#include "counter.h"
#include "rate.h"

#include <stdbool.h>
#include <stddef.h>

/* How often a try reads the counter, and how many tries a counter has. The counters of a probe are
 * read in turns, SELECTION_TURN times in each, so a time in which the machine is slow hits all of
 * them. */
#define SELECTION_READS 1000
#define SELECTION_TURN 100
#define SELECTION_TRIES 10

/* Why a counter is unusable: what happened, never a guess. */
enum reason {
	REASON_NONE,       /* usable */
	REASON_ERRNO,      /* a call failed; detail: errno */
	REASON_SIGNAL,     /* it faulted; detail: the signal */
	REASON_CLOSED,     /* the kernel keeps the register; detail: 0, or mmap's errno */
	REASON_ABSENT,     /* this CPU does not have it */
	REASON_SCALING,    /* its rate does not divide the CPU's */
	REASON_DECREASED,  /* it ran backwards in the last of the failed tries */
	REASON_STILL,      /* it did not move in the last of the failed tries */
	REASON_PRUNED,     /* not probed, or not to the end, because it could not have won */
	REASON_LAST_RESORT /* works, but counts nothing */
};

/* "errno", "signal" and so on, as the cache and the tools write it. */
const char *reason_name(enum reason reason);

/* What one probe found about one counter. */
struct candidate {
	const struct counter *counter;
	enum reason reason;
	int detail;           /* errno or signal number, else 0 */
	uint64_t hz;          /* own rate; 0 if it has none */
	struct ratio scaling; /* cycles per tick */
	uint64_t precision;   /* in cycles, penalty included; 0 unless usable */
	struct rate measured; /* counts per second against a clock; only the calibrator sets it */
};

/* Cycles that the rule adds to the measured precision of this counter. */
uint64_t selection_penalty(const struct counter *counter);

/* Find the cycles per tick of a counter with its own rate of hz (0: it counts cycles). False: no
 * divisor of the rule fits, and the counter is unusable. */
bool selection_scaling(enum counter_class class, uint64_t hz, uint64_t persecond,
		       struct ratio *scaling);

/* Find the smallest nonzero difference of adjacent counts, without penalty. Returns REASON_NONE,
 * REASON_DECREASED or REASON_STILL. */
enum reason selection_smallest_step(const long long counts[], size_t n, uint64_t *step);

/* What the turns of one try have shown. All zeros: there was none yet. */
struct selection_try {
	unsigned reads;
	long long last;      /* count */
	uint64_t least_step; /* within a turn; 0: the counter has not moved in any */
};

/*
 * Add a turn of SELECTION_TURN counts. REASON_NONE: the try has succeeded if its reads are complete
 * by now. Otherwise it has failed. Counts must not decrease from one turn to the next either, but
 * such a step is no step of adjacent counts, because other counters were read in between.
 */
enum reason selection_add_turn(struct selection_try *now, const long long counts[]);

/* Whether this counter can still win if the best precision of the counters before it is this one
 * (0: there is none yet). The smallest step is 1, and of two equal precisions the earlier counter
 * wins. */
bool selection_can_win(const struct counter *counter, uint64_t best);

/* Whether counter i cannot win any more, whatever it will show. The candidates before and after it
 * have shown these precisions so far (0: none yet), which further reads only lower. */
bool selection_is_beaten(const struct candidate candidates[], size_t n, size_t i);

/* Index of the winner, or n if no candidate is usable. */
size_t selection_winner(const struct candidate candidates[], size_t n);

/* Sort: usable candidates first, by precision; equal ones and unusable ones keep their order. */
void selection_rank(struct candidate candidates[], size_t n);

#endif
