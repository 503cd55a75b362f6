/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The t test that dudect made usual (O. Reparaz, J. Balasch and I. Verbauwhede, Dude, is my code
 * constant time?, 2017): Welch's t of two groups of times, for all times, and for those below each
 * of a hundred percentiles. Beyond 4.5 in any of these, it says that the groups differ. Pure.
 */

#ifndef CPUCYCLES_BENCH_WELCH_H
#define CPUCYCLES_BENCH_WELCH_H

#include <stddef.h>

#define WELCH_THRESHOLD 4.5

/* A crop counts only if it leaves so many times of each group. */
#define WELCH_LEAST 100

/* How far the mean of b lies above that of a, by the error of that difference. 0: a group has fewer
 * than two values, or all values are the same. */
double welch_t(const double a[], size_t n, const double b[], size_t m);

/*
 * The t that is farthest from 0, among that of all values and those of the values up to each of a
 * hundred percentiles of both groups together: 1 - 0.5 to the power of i / 10, for i from 1. Both
 * arrays become sorted. NaN: there is no memory.
 */
double welch_cropped(double a[], size_t n, double b[], size_t m);

#endif
