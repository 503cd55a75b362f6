/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The file of --layouts: what each process has measured of each function, and where the function
 * lay in it. It has lines on costly steps, and it and the file of --raw have lines on the verdicts.
 */

#ifndef CPUCYCLES_MEASURE_LAYOUTS_H
#define CPUCYCLES_MEASURE_LAYOUTS_H

#include "result/outcome.h"

#include <stddef.h>
#include <stdio.h>

/* Outcomes that differ in the size of the functions' argument, or a single one. */
struct layouts {
	const struct outcome *outcomes;
	size_t n;
};

/* Write a `const struct layouts`. */
void layouts_write(const void *argument, FILE *to);

/* Of a `const struct outcome`, write a line for the verdict of each comparison. */
void verdict_lines_put(const void *outcome, FILE *to);

#endif
