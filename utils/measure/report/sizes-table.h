/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Functions that were measured with several sizes: one row for a size, one column for a function.
 */

#ifndef CPUCYCLES_MEASURE_SIZES_TABLE_H
#define CPUCYCLES_MEASURE_SIZES_TABLE_H

#include "figures.h"

/* Print the unit, the table, and a line for each note: which functions and sizes have it. */
void sizes_table(const struct figures *figures, enum table_form form, FILE *to);

#endif
