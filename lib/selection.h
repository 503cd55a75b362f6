/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The rule of selection: pure functions over arrays. */

#ifndef CPUCYCLES_SELECTION_H
#define CPUCYCLES_SELECTION_H

#include "counter.h"
#include "rate.h"

#include <stdbool.h>
#include <stddef.h>

/* How often a try reads the counter, and how many tries it has. */
#define SELECTION_READS 1000
#define SELECTION_TRIES 10

/* Why a counter is out. Never a guess: what happened. */
enum reason {
	REASON_NONE,       /* usable */
	REASON_ERRNO,      /* a call failed; detail: errno */
	REASON_SIGNAL,     /* it faulted; detail: the signal */
	REASON_CLOSED,     /* the kernel keeps the register from user space */
	REASON_SCALING,    /* its rate does not divide the CPU's */
	REASON_DECREASED,  /* it ran backwards in every try */
	REASON_STILL,      /* it never moved in any try */
	REASON_PRUNED,     /* it could not have won: not probed */
	REASON_LAST_RESORT /* works, but counts nothing */
};

/* "errno", "signal" and so on, as the cache and the tools write it. */
const char *reason_name(enum reason reason);

/* One counter, as one probe found it. */
struct candidate {
	const struct counter *counter;
	enum reason reason;
	int detail;           /* errno or signal number, else 0 */
	uint64_t hz;          /* own rate; 0 if it has none */
	struct ratio scaling; /* cycles per tick */
	uint64_t precision;   /* cycles, penalty included; 0 unless usable */
	struct rate measured; /* counts per second against a clock; by the calibrator only */
};

/* Cycles that the rule adds to what a counter of this class measures. */
uint64_t selection_penalty(enum counter_class class);

/* Cycles per tick for an own rate of hz (0: none). False: out. */
bool selection_scaling(enum counter_class class, uint64_t hz, uint64_t persecond,
		       struct ratio *scaling);

/*
 * The smallest nonzero difference of adjacent counts, without penalty. Returns
 * REASON_NONE, REASON_DECREASED or REASON_STILL.
 */
enum reason selection_smallest_step(const long long counts[], size_t n, uint64_t *step);

/*
 * Whether a counter of this class can still beat the best precision so far (0: none yet) of those
 * before it. The smallest step is 1, and a tie leaves the earlier one in its place.
 */
bool selection_can_win(enum counter_class class, uint64_t best);

/* Index of the winner, or n if no candidate is usable. */
size_t selection_winner(const struct candidate candidates[], size_t n);

/* Usable candidates first by precision, ties and the unusable in list order. */
void selection_rank(struct candidate candidates[], size_t n);

#endif
