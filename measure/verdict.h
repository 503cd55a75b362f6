/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Which of two functions is faster in this process, from the blocks of a comparison. Pure.
 *
 * The works take turns in rounds. Each has two places in a round, so a work A is called in the
 * places A and A', and a work B in B and B'. The places' order is drawn anew, and balanced: each
 * follows each equally often. All works have the same number of places, because a processor serves
 * best what comes most often: with three places for A and B together, the same code was "slower"
 * each time where it had one place instead of two. For the same reason, a function that is named
 * once next to one that is named twice has two more places, whose samples do not count. Without
 * these, 400 multiplications were slower than 401 that were named twice, by 0.5 %.
 *
 * The call before was mostly a call of another work. So, before each sample, there is one that does
 * not count, of the same work, in A and B. In A' and B' there are two or four. If one is not enough
 * for the processor to forget the other work, then A' differs from A.
 *
 * A block is a number of rounds. Its value for a place is the smooth interquartile mean of the
 * samples in these rounds. Its log ratio is (B + B' - A - A') / 2, with the logarithms of the four
 * values.
 *
 * Why a verdict on equal functions is as rare as promised: let the machine do the same with A that
 * it does with B. Then to exchange the two gives a run that is as likely as this one, with the
 * opposite log ratio. So the sign of a block is a fair coin. The coins of the blocks are
 * independent as far as a block does not depend on the order in the block before. This holds for
 * every distribution of the times, and also if they drift, come in bursts or depend on one another.
 * A verdict needs an interval that leaves out 0, and the binomial distribution gives the chance of
 * that (statistics_median_rank()). A log ratio of exactly 0, as quantised counts give it, counts
 * for 0 on both sides, so ties make a verdict rarer. So does the floor.
 *
 * What the coins cannot see: equal code at two addresses is not the same to the machine. A verdict
 * is about the functions where they lie in this process.
 *
 * A run looks at its blocks several times and may stop at each look. All looks share alpha:
 * look j gets alpha / (j * (j + 1)), and the sum of all of these is alpha.
 *
 * The floor is what the places differ by: half of how far A' may be from A, and B' from B, as the
 * outer ends of their 95 % intervals tell. It is for functions whose calls prepare one another. It
 * does not shrink below half of what the places really differ by.
 */

#ifndef CPUCYCLES_VERDICT_H
#define CPUCYCLES_VERDICT_H

#include <stdbool.h>
#include <stddef.h>

#define VERDICT_BLOCK 52 /* rounds in a block, fewer only where a round takes long */
#define VERDICT_PLACES 2

/* The chance of a wrong verdict of one comparison, by default. */
#define VERDICT_ALPHA 0.005

/* Noise alone shows a difference as rarely as this. Where none is shown, how large it seems to be
 * says nothing about how many more blocks, or replicates, might tell. */
#define VERDICT_SEEN_ERROR 0.01

/* The share of alpha for look number j, from 1. */
double verdict_share(double alpha, unsigned look);

/* The number of the look that a judgement of n blocks or replicates is. looks: the looks before,
 * the last one of them at `looked`. Between two looks, that is one look more. */
unsigned verdict_look(unsigned looks, size_t looked, size_t n);

/* The share that is left for later, after this look: all later looks together have it. */
double verdict_share_left(double alpha, unsigned look);

/* At how many blocks look number j, from 1, is due. The first one is the smallest at which an
 * interval of verdict_share(alpha, 1) exists, each later one half as many again. SIZE_MAX: never,
 * because alpha is 0, or the number is too large. */
size_t verdict_due(double alpha, unsigned look);

/* The order is the order of the public values. VERDICT_SAME comes from replicates alone: see
 * replicates.h. */
enum verdict_kind { VERDICT_CANNOT_TELL, VERDICT_FASTER, VERDICT_SLOWER, VERDICT_SAME };

/* "cannot tell", "faster", "slower" or "same". */
const char *verdict_word(enum verdict_kind kind);

/* The largest number of needed blocks that is stated. It means this number or more. */
#define VERDICT_BLOCKS_MAX 1000000000

/* The smallest number of blocks that have an interval of this alpha. */
size_t verdict_fewest(double alpha);

/* How many blocks, or replicates, make half of an interval as narrow as `margin`, if it is `half`
 * for n of them. It falls with the square root of their number. More than n. */
size_t verdict_more(double half, double margin, size_t n);

/* A verdict by the blocks of one process, or by replicates: see replicates.h. */
struct verdict {
	enum verdict_kind kind;
	/* Work by first: the median of blocks, or the centre of replicates, and its interval.
	 * Without an interval, low is 0 and high is infinite. Without any block or replicate that
	 * has values, ratio is NaN. */
	double ratio, low, high;
	/* Cannot tell: the blocks, or replicates, that might tell, about; VERDICT_BLOCKS_MAX at
	 * most.
	 *
	 * Of blocks, 0: the number is unknown, because no difference is shown (VERDICT_SEEN_ERROR),
	 * or too many blocks have no values; or none would, because the places differ as much as
	 * the works do.
	 *
	 * Of replicates, 0: the functions are equal in all that was seen, to the last digit. */
	size_t needed;

	/* Of blocks only: what the places may add to a ratio, as a part of 1: below 1 / (1 + floor)
	 * is faster, above 1 + floor is slower. Infinite: not known. */
	double floor;

	/* Of replicates only: functions that differ by less than this part of 1 are the same; 0: no
	 * difference is too small. inside: the whole interval lies between 1 / (1 + within) and
	 * 1 + within. */
	double within;
	bool inside;
	/* Cannot tell: the replicates that are needed would tell a difference of this part of 1. If
	 * that is `within`: they would tell of equal functions that they are the same. 0: any
	 * verdict takes these. */
	double difference;
};

/*
 * Judge by n blocks. first and work have the values of each block, by place. A value that is not
 * above 0, or not finite, is none, and counts against a verdict. alpha is the share of this look.
 * scratch has room for n values.
 */
void verdict_judge(const double *const first[VERDICT_PLACES],
		   const double *const work[VERDICT_PLACES], size_t n, double alpha,
		   double scratch[], struct verdict *verdict);

/* The log ratio of work to first as one number: the mean of the blocks', without the tenth of them
 * that is smallest and the tenth that is largest. Of fewer than 20 blocks, without the quarters,
 * and of three, the median. Not a number: no block has values. */
double verdict_log_ratio(const double *const first[VERDICT_PLACES],
			 const double *const work[VERDICT_PLACES], size_t n, double scratch[]);

/* Whether a work carries over: its second place differs from its first by more than
 * VERDICT_CARRYOVER_PART, and more than chance explains (one in a million). *ratio: the median of
 * the second by the first. */
#define VERDICT_CARRYOVER_PART 0.01
bool verdict_carryover(const double *const places[VERDICT_PLACES], size_t n, double scratch[],
		       double *ratio);

#endif
