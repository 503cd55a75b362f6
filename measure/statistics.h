/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Statistics of samples whose distribution nobody knows: skewed, heavy-tailed, with two peaks,
 * quantised. So there are quantiles and intervals by order, and no variances. Pure. */

#ifndef CPUCYCLES_STATISTICS_H
#define CPUCYCLES_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* In ascending order, NaN behind all numbers. */
void statistics_sort(double values[], size_t n);

/* The quantile p, from 0 to 1, of n > 0 sorted values, by linear interpolation. */
double statistics_quantile(const double sorted[], size_t n, double p);

/* The interquartile mean: the mean of the middle half of n > 0 sorted values. A value on the border
 * of the middle half counts in part. */
double statistics_iqm(const double sorted[], size_t n);

/*
 * The interquartile mean of n > 0 sorted values that are multiples of a coarse step: each stands
 * for what lies within half of width to both sides, evenly. If more than three quarters of the
 * values are the same, the interquartile mean is that value, and says nothing of the others. This
 * one does: it moves with the part of the values at each step. A width of 0: statistics_iqm().
 */
double statistics_smooth_iqm(const double sorted[], size_t n, double width);

/*
 * The largest k for which fewer than k of n fair coins show heads with a chance of error / 2 at
 * most. 0: there is none. Then the median of what n values were drawn from lies below the value
 * number k from below, or above the value number k from above, with a chance of error at most,
 * whatever the distribution, and also if it changes from value to value with its median staying.
 *
 * Proof: a value is at most the median with a chance of 1/2 or more. All values but fewer than k
 * are above the median, therefore, with a chance that is no larger than that of the coins. From
 * below it is the same. Values that are equal to the median count for it on both sides, so ties
 * only make the error smaller.
 */
size_t statistics_median_rank(size_t n, double error);

/* The interval between these two of n sorted values. False: so few values allow none. */
bool statistics_median_interval(const double sorted[], size_t n, double error, double *low,
				double *high);

#endif
