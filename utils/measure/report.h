/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the tool prints. */

#ifndef CPUCYCLES_MEASURE_REPORT_H
#define CPUCYCLES_MEASURE_REPORT_H

#include "outcome.h"
#include "table.h"

#include <stdbool.h>
#include <stdio.h>

/* Each prints outcomes that differ in the size of the functions' argument, or a single one. */

/* A table of the functions, warnings and sentences. In CSV, these are columns. 0 or -ENOMEM. */
int measure_table(const struct outcome outcomes[], size_t n, enum table_form form, bool colour,
		  FILE *to);

/* All that is known, as lines for each function; and the check of the machine. */
void measure_text(const struct outcome outcomes[], size_t n, FILE *to);

/* For programs, as one JSON object: in a form of its own, and in that of google/benchmark. False:
 * memory ran out. Without jansson, the options that ask for them are refused. */
#ifdef HAVE_JANSSON
bool measure_json(const struct outcome outcomes[], size_t n, FILE *to);
bool measure_benchmark(const struct outcome outcomes[], size_t n, FILE *to);
#else
#define measure_json(outcomes, n, to) false
#define measure_benchmark(outcomes, n, to) false
#endif

/* The names of all events, or of those that have this word, with what is known of each. *listed:
 * how many. 0 or a negative errno. */
int measure_list(const char *word, FILE *to, size_t *listed);

#endif
