/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The order of measured values. Pure. */

#ifndef CPUCYCLES_VALUES_H
#define CPUCYCLES_VALUES_H

#include <stddef.h>

/* The smallest comes first. */
void values_sort(double values[], size_t n);

/* Sort them, and return the one in the middle. n is at least 1. */
double values_median(double values[], size_t n);

#endif
