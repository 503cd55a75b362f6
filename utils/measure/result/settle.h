/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* From what the processes found to results and verdicts. Pure, but for the memory that a look at
 * the comparisons takes. A layout here: what outcome->layouts counts. A process may have several.
 */

#ifndef CPUCYCLES_MEASURE_SETTLE_H
#define CPUCYCLES_MEASURE_SETTLE_H

#include "outcome.h"

#include <stdbool.h>
#include <stddef.h>

/* Make results and verdicts of what was added so far. True: no more has to be known, because all
 * verdicts are reached, and their intervals are of use. */
bool outcome_settle(struct outcome *outcome);

/* Make the results alone. Where there is no memory for the estimator, figures are medians. That is
 * no look at the comparisons, and costs no share of their error. */
void outcome_settle_results(struct outcome *outcome);

/*
 * Whether the process that has found this is left out, and counted as slow: for more than a tenth
 * of its time, the core was much slower than in most processes that were added. Code that waits for
 * memory is slowed less than other code, so the ratio of two functions is another one then. Only
 * the chain of known length is looked at, which is the same for all functions, so equal functions
 * are as likely as before to be faster. No more processes are left out than were added.
 */
bool outcome_leaves_out(struct outcome *outcome, const struct outcome_part *part);

/* How precise the results are: how far the farthest end of an interval is from its mean, as a part
 * of the mean. Infinite: one has no interval. *widest: its function. Pure. */
double outcome_precision(const struct outcome *outcome, size_t *widest);

/* Whether the results are as precise as was asked for, in processes enough. Pure. */
bool outcome_is_precise(const struct outcome *outcome);

/* Whether all that was to be known is known, after one more process. */
bool outcome_knows_enough(struct outcome *outcome);

/* The last function's time by the time of the first one, in the layouts so far: their median. Not
 * a number: nothing is compared. */
double outcome_so_far(const struct outcome *outcome);

/* How many layouts there are at the next look at the comparisons or, if all verdicts are reached,
 * at their intervals. SIZE_MAX: there is none. */
size_t outcome_due(const struct outcome *outcome);

/* Layouts in a replicate of the comparisons. */
size_t outcome_replicate_size(const struct outcome *outcome);

/* The most layouts. */
size_t outcome_most(const struct outcome *outcome);

/* In how many layouts, which are those of whole replicates, the comparison with function number i
 * was measured. 0: the functions are not linked anew. */
size_t outcome_layouts(const struct outcome *outcome, size_t i);

/* About how many layouts would tell the difference that the verdict on function number i names.
 * 0: as in struct verdict. */
size_t outcome_needed(const struct outcome *outcome, size_t i);

/* Whether the first function has no figures, and another one has. Then nothing is compared with
 * that one in its place. */
bool outcome_misses_first(const struct outcome *outcome);

#endif
