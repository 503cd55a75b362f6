/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The step of a counter from differences of its counts. Pure. */

#ifndef CPUCYCLES_STEP_H
#define CPUCYCLES_STEP_H

#include <stddef.h>

/* STEP_FIT_PERCENT of the differences have to fit. One fits if it is off by at most
 * STEP_TOLERANCE units. */
#define STEP_FIT_PERCENT 99
#define STEP_TOLERANCE 1.0

/*
 * The largest step s for which STEP_FIT_PERCENT of the differences lie within STEP_TOLERANCE of a
 * multiple of s, and within a quarter of s, because a small s would fit everything. It is fitted to
 * the differences, so it need not be a whole number: 24.45 for 0, 24, 25, 49, 73, 98.
 *
 * A clock's nanoseconds may come as whole numbers of a finer or a coarser count. Then a difference
 * may be off by one count more: rounding is that count in units, or else 0.
 *
 * 1 if no larger step is shown. So it is if all differences are about the same, because then any
 * part of them may be the step: take differences of works whose lengths vary.
 *
 * 0: no difference is above 0, so the counter stands still. Differences below 0, not finite, or
 * above 2^40 count as differences that do not fit. Differences much longer than the shortest ones
 * are left out. The array is changed. It takes some milliseconds at most for 4,096 differences.
 */
double step_find(double differences[], size_t n, double rounding);

#endif
