/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Tries counters out. The caller holds the guard, installed. */

#ifndef CPUCYCLES_PROBE_H
#define CPUCYCLES_PROBE_H

#include "selection.h"

#include <stdbool.h>

/* The full treatment: rate, scaling, setup, precision; torn down again. */
void probe_counter(const struct counter *counter, uint64_t persecond, struct candidate *result);

/*
 * Every counter of the list, results in list order. With prune, a counter that
 * can't win any more is left out (REASON_PRUNED).
 */
void probe_all(uint64_t persecond, bool prune, struct candidate results[]);

/*
 * Rate, scaling, setup and two reads (more of a register that stands still): whether it
 * works in this process. On success it is left set up and result->reason is
 * REASON_NONE. result->precision is not touched. hz: the counter's own rate, if it has one and a probe
 * of this boot has found it, else 0; to measure it again takes milliseconds and finds another.
 */
bool probe_briefly(const struct counter *counter, uint64_t persecond, uint64_t hz,
		   struct candidate *result);

/* Gives back what the calling thread has of it. */
void probe_teardown(const struct counter *counter);

/*
 * A counter of the list that is in use is read while others are tried, and so is it: from now on its own rate is
 * hz, whatever it would measure or be told, so that each setup is like the first.
 */
void probe_keep_rate(const struct counter *counter, uint64_t hz);

#endif
