/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The form of google/benchmark, which its tools/compare.py and others read. Each layout (of
 * functions that are not linked anew: a process) is a repetition, and their median comes after
 * them. */

#ifndef CPUCYCLES_MEASURE_BENCHMARK_H
#define CPUCYCLES_MEASURE_BENCHMARK_H

#include "result/outcome.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Print outcomes that differ in the size of the functions' argument, or a single one. False: memory
 * ran out. Without jansson, the option that asks for this form is refused. */
#ifdef HAVE_JANSSON
bool benchmark_print(const struct outcome outcomes[], size_t n, FILE *to);
#else
#define benchmark_print(outcomes, n, to) false
#endif

#endif
