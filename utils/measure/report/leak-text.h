/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The result of a test for leaks for people: table, distributions, and the file of times. */

#ifndef CPUCYCLES_MEASURE_LEAK_TEXT_H
#define CPUCYCLES_MEASURE_LEAK_TEXT_H

#include "leak-report.h"

#include <stdbool.h>
#include <stdio.h>

/* The answer, and what to do. verbose: also a table of the quantiles, what is known of calls,
 * counter and test, and both distributions in bars. utf8: in letters of UTF-8. */
void leak_put_text(const struct leak_report *report, bool verbose, bool utf8, FILE *to);

/* Of a `const struct leak_report`, the verdict, the quantiles and all times that are kept, as lines
 * of values that are separated by tabs. */
void leak_put_times(const void *report, FILE *to);

#endif
