/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The results as a table, as Markdown or as CSV. */

#ifndef CPUCYCLES_MEASURE_TABULAR_H
#define CPUCYCLES_MEASURE_TABULAR_H

#include "result/outcome.h"
#include "table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Print outcomes that differ in the size of the functions' argument, or a single one: a table of
 * the functions, or of the sizes, warnings and sentences. In CSV, these are columns. 0 or -ENOMEM.
 */
int tabular_print(const struct outcome outcomes[], size_t n, enum table_form form, bool colour,
		  FILE *to);

#endif
