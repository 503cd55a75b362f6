/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The lines on verdicts that the files of --raw and --layouts have. */

#ifndef CPUCYCLES_MEASURE_VERDICT_LINES_H
#define CPUCYCLES_MEASURE_VERDICT_LINES_H

#include "result/outcome.h"

#include <stdio.h>

/* How many percent longer than the first function one takes whose time is so many times as long. */
void verdict_lines_percent(double ratio, FILE *to);

/* Of a `const struct outcome`, write a line for the verdict of each comparison. */
void verdict_lines_put(const void *outcome, FILE *to);

#endif
