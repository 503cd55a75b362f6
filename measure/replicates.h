/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Which of two functions is faster, from replicates. Pure.
 *
 * A replicate is a fresh process, or some of them, in which both functions were measured. The value
 * of a process is the log ratio of their times (verdict_log_ratio()), and the value of a replicate
 * is the mean of its processes' values. Where stack, heap and pages of memory lie is drawn anew for
 * each process, and moves what is measured there, by half a percent or by half. More samples in one
 * process do not help against that. More processes do.
 *
 * If the functions are linked anew, four processes are a replicate: see placement.h. Otherwise each
 * process is one.
 *
 * Equal functions that change places give a replicate the opposite value, and are as likely to lie
 * that way around. So the values are symmetric about 0, which is all that the signed-rank test
 * needs. For functions that differ, the interval supposes that the values are symmetric about the
 * true one. So does the verdict that they are the same within some part.
 *
 * Interim looks share alpha as in one process: see verdict.h, which has the verdict itself.
 */

#ifndef CPUCYCLES_REPLICATES_H
#define CPUCYCLES_REPLICATES_H

#include "verdict.h"

#include <stdbool.h>
#include <stddef.h>

/* The values of replicates, from the values of n processes, of which each `size` successive ones
 * are a replicate. A replicate that is not complete, or has a value that is not finite, is left
 * out. The others move up. How many there are; values has room for n / size. */
size_t replicates_values(const double log_ratios[], size_t n, size_t size, double values[]);

/* Values for which scratch needs room. */
#define REPLICATES_SCRATCH(n) ((n) * ((n) + 1) / 2 + 1)

/*
 * Judge by n values of replicates, all of them finite. alpha is the share of this look.
 *
 * within: functions that differ by less than this part of 1 are the same for the caller, and
 * VERDICT_SAME says so: the interval lies inside of that part, and has 1 in it. An interval without
 * 1 is slower or faster, also inside. 0: no difference is too small.
 */
void replicates_judge(const double values[], size_t n, double alpha, double within,
		      double scratch[], struct verdict *verdict);

/*
 * A figure of one function by the estimator of the verdict, and its interval of 95 %: the centre of
 * the replicates' logarithms. So the quotient of two functions' figures agrees with the ratio of a
 * verdict. figures: of n processes, which become their logarithms; a replicate with a NaN is left
 * out. False: there is none, because a figure is not above 0, fewer than half of the replicates are
 * known, or these are too few for an interval.
 */
bool replicates_centre(double figures[], size_t n, size_t size, double scratch[], double *centre,
		       double *low, double *high);

/* How far the value of one process is from the median of all, as a part of 1: half of the processes
 * are farther away, and half are nearer. Where things lie in a process moves its value, and so does
 * noise. A few values that are far away hardly change this one. Values that are not finite do not
 * count. Not a number: fewer than 2 do. scratch has room for n values, and may be log_ratios. */
double replicates_placement(const double log_ratios[], size_t n, double scratch[]);

#endif
