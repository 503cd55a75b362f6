/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is reported of one function: a row of the table, with the sentence on it. */

#ifndef CPUCYCLES_MEASURE_ROW_H
#define CPUCYCLES_MEASURE_ROW_H

#include "figures.h"
#include "result/outcome.h"

/* The figures of one of the outcome's targets, or why there are none; without a sentence on them.
 */
struct figures_function row_figures(const struct outcome *outcome, const struct target *target);

/* Fill in the row of one of the outcome's targets. */
void row_fill(struct figures_function *row, const struct outcome *outcome,
	      const struct target *target);

#endif
