/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Trying counters in this process. The caller holds the guard, and has installed it. */

#ifndef CPUCYCLES_PROBE_H
#define CPUCYCLES_PROBE_H

#include "selection.h"

#include <stdbool.h>

/* Find the counter's rate and scaling, set it up, measure its precision and tear it down. */
void probe_counter(const struct counter *counter, uint64_t persecond, struct candidate *result);

/* Probe all counters, in turns; the results are in list order. With prune, a counter that cannot
 * win any more is not tried, or not further (REASON_PRUNED). */
void probe_all(uint64_t persecond, bool prune, struct candidate results[]);

/* The same for the counters of one class. The others are REASON_PRUNED. */
void probe_class(enum counter_class class, uint64_t persecond, struct candidate results[]);

/*
 * Whether the counter works in this process: find its rate and scaling, set it up and read it
 * twice, or more often if the count stands still. If it works, it stays set up and
 * result->reason is REASON_NONE. result->precision is not touched. hz: the counter's own rate, if a
 * probe of this boot has found it, else 0. Measuring the rate again would take milliseconds and
 * give another value.
 */
bool probe_briefly(const struct counter *counter, uint64_t persecond, uint64_t hz,
		   struct candidate *result);

/* Give back what the setup took for the calling thread, unless somebody else goes on reading what
 * the counter reads (probe_hold). */
void probe_teardown(const struct counter *counter);

/*
 * Somebody reads this counter who does not take part in the selection. So its setups are held
 * (struct counter_conditions), and so are those of counters with the same teardown. With false,
 * nobody reads the counter any more. Whether it was held before.
 */
bool probe_hold(const struct counter *counter, bool hold);

/* Undo the setup of a counter that worked (probe_briefly). If the counter is held, restore what was
 * there before. */
void probe_undo(const struct counter *counter);

/* Read a counter that is set up, as probe_briefly does. */
bool probe_reads(const struct counter *counter, struct candidate *result);

/*
 * Fix a counter's own rate at hz. The counter is in use, and other threads may be reading it while
 * this one sets it up again, so every later setup has to give the same multiplier.
 */
void probe_keep_rate(const struct counter *counter, uint64_t hz);

#endif
