/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The results as lines, for --verbose and --check. */

#ifndef CPUCYCLES_MEASURE_VERBOSE_H
#define CPUCYCLES_MEASURE_VERBOSE_H

#include "result/outcome.h"

#include <stddef.h>
#include <stdio.h>

/* Print outcomes that differ in the size of the functions' argument, or a single one: all that is
 * known, as lines for each function; and the check of the machine. */
void verbose_print(const struct outcome outcomes[], size_t n, FILE *to);

#endif
