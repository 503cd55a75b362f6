/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Which of two functions is faster, from the blocks of a comparison. Pure.
 *
 * The works take turns in rounds, in an order drawn anew each round. A block is a number of
 * rounds. Its value for a work is the smooth interquartile mean of the work's samples in these
 * rounds, and the logarithm of two works' values is the block's log ratio.
 *
 * Why a verdict on a function beside itself is as rare as promised: hold the time of each call
 * fixed, and think of the order being drawn afterwards. To exchange the two works in all rounds of
 * a block is as likely an order as the one that was drawn, and gives the block the opposite log
 * ratio. So the sign of each block is a fair coin, and the blocks' coins are independent. This
 * holds for every distribution of the times, and also if they drift, come in bursts or depend on
 * one another. A verdict needs an interval that leaves out 0, and the binomial distribution gives
 * the chance of that (statistics_median_rank()). A log ratio of exactly 0, as quantised counts give
 * it, counts for 0 on both sides, so ties make a verdict rarer. So does the floor.
 *
 * A run looks at its blocks several times and may stop at each look. All looks share the error:
 * look j gets error / (j * (j + 1)), and the sum of all of these is the error.
 *
 * The floor is for what the coins cannot see: a harness in which works differ by where they stand.
 * It is the outer end of the 95 % interval of control by first. It does not shrink below the
 * control's true bias, so a work with no more bias than that gets no verdict from any number of
 * samples: the work's interval would have to leave out its true bias on one side, by more than the
 * control's does on the other.
 */

#ifndef CPUCYCLES_VERDICT_H
#define CPUCYCLES_VERDICT_H

#include <stddef.h>

#define VERDICT_BLOCK 51 /* rounds in a block, fewer only where a round takes long */

/* The share of the error for look number j, from 1. */
double verdict_share(double error, unsigned look);

/* At how many blocks look number j, from 1, is due. The first one is the smallest at which an
 * interval of verdict_share(error, 1) exists, each later one half as many again. SIZE_MAX: never,
 * because error is 0, or the number is too large. */
size_t verdict_due(double error, unsigned look);

enum verdict_kind { VERDICT_CANNOT_TELL, VERDICT_FASTER, VERDICT_SLOWER };

/* As a number of blocks that are needed: so many or more. */
#define VERDICT_BLOCKS_MAX 1000000000

struct verdict {
	enum verdict_kind kind;
	/* Work by first: the median of blocks and its interval. Without an interval, low is 0 and
	 * high is infinite. Without any block that has values, ratio is NaN. */
	double ratio, low, high;
	/* How far the control may be from the first, as a part of 1: below 1 / (1 + floor) is
	 * faster, above 1 + floor is slower. Infinite: not known. */
	double floor;
	/* Cannot tell: about so many blocks might tell. 0: none would, because the control differs
	 * from the first as much as the work does, or because too many blocks have no values. */
	size_t blocks_needed;
};

/*
 * Judge by n blocks. first, work and control are the values of each block. A value that is not
 * above 0, or not finite, is none, and counts against a verdict. error is the share of this look.
 * scratch has room for n values.
 */
void verdict_judge(const double first[], const double work[], const double control[], size_t n,
		   double error, double scratch[], struct verdict *verdict);

#endif
