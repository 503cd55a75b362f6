/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Timing chains of known length in the course of a run. What they say is in judge-cycles.c. */

#ifndef CPUCYCLES_CHAIN_LOOK_H
#define CPUCYCLES_CHAIN_LOOK_H

#include "take.h"

/* Before the first round: how long the chains have to be, for this counter. */
void chain_look_begin(struct setting *s);

/* Time the chains before this round, which begins now, if it is time. True: they were timed, so the
 * processor has forgotten the works. */
bool chain_look(struct setting *s, size_t round, uint64_t now_ns);

/* Time the chains if it is time, for a test for leaks, which has no rounds. The last look with all
 * chains is kept as number 0, and the last one with exclusive-ors only as number 1. */
bool chain_look_apart(struct setting *s, bool all, uint64_t now_ns);

/* After the last round: a chain for each long work that has none yet. */
void chain_look_end(struct setting *s);

/* Whether a sample of so many units is long: see CYCLES_LONG. */
static inline bool chain_look_is_long(const struct setting *s, double units)
{
	return s->long_units > 0 && units > s->long_units;
}

#endif
