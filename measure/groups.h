/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Whether two groups of calls take different times, from the times of each call. Pure.
 *
 * The calls come in blocks. Which call belongs to which group is drawn anew for each call, and both
 * groups are as likely. A block compares the groups at eleven places: at the nine deciles of both
 * groups together, and at their quantiles of 1 and 99 %. Its value for a place is the share of the
 * second group's calls above it, less the share of the first group's.
 *
 * Why a difference that is not there is shown as rarely as promised: if the group makes no
 * difference, then the times of a block would have been the same with the groups exchanged, and
 * that draw was as likely as this one. It gives the opposite value. So the sign of each block is a
 * fair coin, whatever the times are: skewed, with heavy tails, coarse, drifting, or dependent on
 * one another. For n coins and any weights w, the sum of +-w exceeds t times the root of the sum of
 * w * w with a chance of exp(-t * t / 2) at most (W. Hoeffding, Probability inequalities for sums
 * of bounded random variables, 1963, theorem 2). That is the test, on the values as weights. The
 * eleven places and both directions share alpha equally.
 *
 * Nothing is thrown away for its size. Ties need no rule of their own: a place is moved to where
 * the values differ, by the times of both groups together.
 *
 * How large a difference is: at each decile, a block has the difference of both groups' quantiles,
 * in which counts of a coarse step are spread over that step. Means of some blocks each are judged
 * by Wilcoxon's signed ranks, which supposes that they are symmetric about the true difference.
 *
 * Deciles do not see what happens to a few calls. So a block also counts, at many cuts, which share
 * of one group's calls lies above the cut by more than the difference that matters, and takes off
 * the share of the other group's calls above the cut. If nothing is left anywhere, then each call
 * of one group can be matched with one of the other that differs by no more than that. What is left
 * is the share of calls that cannot.
 */

#ifndef CPUCYCLES_GROUPS_H
#define CPUCYCLES_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GROUPS_DECILES 9
#define GROUPS_TAIL GROUPS_DECILES /* the numbers of the other places */
#define GROUPS_HEAD (GROUPS_DECILES + 1)
#define GROUPS_PLACES (GROUPS_DECILES + 2)
/* As doubles, because the i387 takes a constant with more digits than a variable has. */
#define GROUPS_TAIL_QUANTILE ((double)0.99)
#define GROUPS_HEAD_QUANTILE ((double)0.01)

/* The cuts: the quantiles of 1, 2, 4, 6, ... 98 and 99 % of some times, and the time before the
 * widest gap in each sixteenth of these, or infinity if no gap there is wide enough. Far out, all
 * gaps are wide. */
#define GROUPS_QUANTILES 51
#define GROUPS_GAPS 16
#define GROUPS_CUTS (GROUPS_QUANTILES + GROUPS_GAPS)

struct groups_cuts {
	size_t n; /* 0: none yet */
	double at[GROUPS_CUTS], quantile[GROUPS_CUTS];
};

/* The ways in which calls can lie too far apart at a cut: the second group takes longer or the
 * first one does, and the other's times lie up to the cut or from there on. */
#define GROUPS_WAYS 4

/* What share of calls does not matter at the first and the last cut: one call in 200. In between,
 * it grows as what chance does to a share, up to one call in 40 in the middle. */
#define GROUPS_ENDS_WITHIN 0.005

/* In a block of fewer calls, none can be above the quantile of 99 %. */
#define GROUPS_TAIL_CALLS 50

/* The quantile of a place, as a part of 1. */
double groups_quantile(size_t place);

/* Choose cuts by times of both groups together, which become sorted. apart: a gap is wider. They
 * stay for many blocks. If each block had its own, they would lie now on the one side of a gap and
 * now on the other, and hide what changes sides. */
void groups_choose(struct groups_cuts *cuts, double times[], size_t n, double apart);

/*
 * Whether cuts still lie among the times. Cuts do not see what happens between two of them. If the
 * function has become faster or slower since they were chosen, then that is nearly everything.
 * So the calls between two neighbouring quantiles are counted, and below the first and above the
 * last, of both groups together.
 */
struct groups_between {
	size_t calls[GROUPS_QUANTILES + 1];
	size_t above[GROUPS_CUTS];
	size_t all;
};

/* Add the times of a block, which are sorted. The cuts get the quantiles at which they lie now. */
void groups_count_between(struct groups_cuts *cuts, const double sorted[], size_t n,
			  struct groups_between *between);

/* apart: calls between cuts that are no farther apart do not matter. */
bool groups_cuts_hold(const struct groups_cuts *cuts, const struct groups_between *between,
		      double apart);

/* Which share of calls does not matter at such a quantile. */
double groups_within(double quantile);

/* One block, or the mean of some: the second group less the first. */
struct groups_value {
	double shares[GROUPS_PLACES];
	double differences[GROUPS_DECILES]; /* in units */
	double first[GROUPS_PLACES]; /* the first group's deciles, and its shares above the rest */
	double beyond[GROUPS_WAYS][GROUPS_CUTS];
	double counted; /* 1: they were counted; in a mean, the part of the blocks for which they
			   were */
	double calls;   /* of both groups */
};

/* The shares of a block. Both arrays become sorted. scratch: room for n + m values. False: a group
 * has no call, so there is no value. */
bool groups_block(double first[], size_t n, double second[], size_t m, double scratch[],
		  struct groups_value *value);

/* Add the deciles, from the same arrays, after that. step: the counts are multiples of this. */
void groups_block_deciles(const double first[], size_t n, const double second[], size_t m,
			  double step, struct groups_value *value);

/* Add the shares that lie too far apart, by more than this, in the same arrays, after that. */
void groups_block_beyond(const double first[], size_t n, const double second[], size_t m,
			 double apart, const struct groups_cuts *cuts, struct groups_value *value);

/*
 * The values of all blocks in a memory that does not grow. Is it full, then two neighbours each
 * become one, their mean, and later values are means of as many blocks. A mean changes its sign
 * with its blocks, so its sign is a fair coin, too.
 */
#define GROUPS_VALUES 1024

struct groups {
	struct groups_value values[GROUPS_VALUES];
	size_t n;
	size_t each;              /* blocks in a value */
	struct groups_value open; /* the sum of the blocks of the next value */
	size_t open_blocks;
	size_t blocks; /* all of them */
};

void groups_begin(struct groups *groups);
void groups_add(struct groups *groups, const struct groups_value *block);

/* Of the blocks from this number on, the shares that lie too far apart count for nothing: the cuts
 * did not hold. */
void groups_forget_beyond(struct groups *groups, size_t from);

/* At how many blocks look number j, from 1, is due. */
size_t groups_due(unsigned look);

/* The place at which the groups differ most surely, and the chance that equal groups do so at any
 * place: at most this. */
double groups_chance(const struct groups *groups, size_t *place);

/* t at the surest place, by what this alpha asks for: above 1, a difference is shown. It grows with
 * the root of the number of blocks. */
double groups_reach(const struct groups *groups, double alpha);

/* At one place: the mean of the first group's, and how much more the second group has, with its
 * interval. */
struct groups_interval {
	double group0, difference, low, high;
};

/* Numbers for which an array has to have room. */
#define GROUPS_MEANS 64
#define GROUPS_SCRATCH (GROUPS_MEANS + GROUPS_MEANS * (GROUPS_MEANS + 1) / 2 + 1)

/* The difference at a decile, in units. False: so few blocks allow no interval. */
bool groups_difference(const struct groups *groups, size_t decile, double alpha, double scratch[],
		       struct groups_interval *interval);

/* The difference of the shares above GROUPS_TAIL, or of the shares up to GROUPS_HEAD. False also if
 * the blocks are too short for that. */
bool groups_end(const struct groups *groups, size_t place, double alpha, double scratch[],
		struct groups_interval *interval);

/* The share that lies too far apart at a cut, in one way, by the blocks for which it was counted.
 * It is below 0 where the other group has more. */
bool groups_beyond(const struct groups *groups, size_t way, size_t cut, double alpha,
		   double scratch[], struct groups_interval *interval);

#endif
