/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The report of a run: a table, the goals, and JSON. */

#ifndef CPUCYCLES_BENCH_REPORT_H
#define CPUCYCLES_BENCH_REPORT_H

#include "bench.h"

void report_table(const struct bench *bench);
void report_goals(const struct bench *bench);

/* False: it could not be written, and standard error says why. */
bool report_json(const struct bench *bench, const char *path);

#endif
