/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Statistics of samples whose distribution is unknown: skewed, heavy-tailed, with two peaks,
 * quantised. So there are quantiles and intervals by order, and no variances. Pure. */

#ifndef CPUCYCLES_STATISTICS_H
#define CPUCYCLES_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>

/* In ascending order, NaN after all numbers. */
void statistics_sort(double values[], size_t n);

/* Copy n values, of which each is so far from the one before, and sort them. */
void statistics_take(const double values[], size_t apart, size_t n, double sorted[]);

/* The quantile p, from 0 to 1, of n > 0 sorted values, by linear interpolation. */
double statistics_quantile(const double sorted[], size_t n, double p);

/* The median of n > 0 values, which become sorted. */
double statistics_median(double values[], size_t n);

/* The trimmed mean: the mean of n > 0 sorted values without this part of them, below 0.5, on each
 * side.
 * A value on a border counts in part. */
double statistics_trimmed_mean(const double sorted[], size_t n, double part);

/* The interquartile mean: the mean of the middle half of n > 0 sorted values. */
double statistics_iqm(const double sorted[], size_t n);

/*
 * The interquartile mean of n > 0 sorted values that are multiples of a coarse step: each stands
 * for what lies within half of width to both sides, evenly. If more than three quarters of the
 * values are the same, the interquartile mean is that value, and says nothing of the others. This
 * one does: it moves with the part of the values at each step. A width of 0: statistics_iqm().
 */
double statistics_smooth_iqm(const double sorted[], size_t n, double width);

/* The quantiles of such values, spread in the same way: quantiles[i] for parts[i], which ascend
 * from 0 to 1. A quantile moves with the part of the values at each step, by less than a step. */
void statistics_smooth_quantiles(const double sorted[], size_t n, double width,
				 const double parts[], size_t count, double quantiles[]);

/*
 * The largest k for which fewer than k of n fair coins show heads with a chance of alpha / 2 at
 * most. 0: there is none. Then the median of what n values were drawn from lies below the value
 * number k from below, or above the value number k from above, with a chance of alpha at most,
 * whatever the distribution, and also if it changes from value to value with its median staying.
 *
 * Proof: a value is at most the median with a chance of 1/2 or more. All values but fewer than k
 * are above the median, therefore, with a chance that is no larger than the chance of the coins.
 * From below, the proof is the same. Values that are equal to the median count for it on both
 * sides, so ties only make the error smaller.
 */
size_t statistics_median_rank(size_t n, double alpha);

/* The interval between these two of n sorted values. False: so few values allow none. */
bool statistics_median_interval(const double sorted[], size_t n, double alpha, double *low,
				double *high);

/* The mean of n > 0 values. */
double statistics_mean(const double values[], size_t n);

/* How many of n samples remain without the longest 5 %, of which many are the machine's. */
static inline size_t statistics_most(size_t n)
{
	return n - n / 20;
}

/*
 * Wilcoxon's signed-rank test (F. Wilcoxon, 1945; M. Hollander, D. A. Wolfe and E. Chicken,
 * Nonparametric Statistical Methods, 3.1 to 3.3), exactly: the largest k for which the ranks of the
 * positive ones of n values have a sum below k with a chance of alpha / 2 at most, if each value is
 * as likely to be positive as negative, whatever its size. 0: there is none. chances: room for
 * n * (n + 1) / 4 + 1 values. It takes some n * n * n / 8 steps.
 */
size_t statistics_signed_rank(size_t n, double alpha, double chances[]);

/*
 * The centre of n > 0 values that were drawn from symmetric distributions, by the means of all
 * pairs of them, each with itself as well: their median (Hodges and Lehmann), and the interval that
 * leaves out the centre with a chance of alpha at most. False: so few values allow no interval.
 * scratch: room for n * (n + 1) / 2 values.
 */
bool statistics_signed_rank_interval(const double values[], size_t n, double alpha,
				     double scratch[], double *estimate, double *low, double *high);

#endif
