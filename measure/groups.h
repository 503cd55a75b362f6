/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Whether two groups of calls take different times, from the times of each call. Pure.
 *
 * The calls come in blocks. Which call belongs to which group is drawn anew for each call, and both
 * groups are as likely. A block compares the groups at ten places: at the nine deciles of both
 * groups together, and at their quantile of 99 %. Its value for a place is the share of the second
 * group's calls above it, less that of the first group.
 *
 * Why a difference that is not there is shown as rarely as promised: if the group makes no
 * difference, then the times of a block would have been the same with the groups exchanged, and
 * that draw was as likely as this one. It gives the opposite value. So the sign of each block is a
 * fair coin, whatever the times are: skewed, with heavy tails, coarse, drifting, or dependent on
 * one another. For n coins and any weights w, the sum of +-w exceeds t times the root of the sum of
 * w * w with a chance of exp(-t * t / 2) at most (W. Hoeffding, Probability inequalities for sums
 * of bounded random variables, 1963, theorem 2). That is the test, on the values as weights. The
 * ten places and both directions share the error equally.
 *
 * Nothing is thrown away for its size. Ties need no rule of their own: a place is moved to where
 * the values differ, by the times of both groups together.
 *
 * How large a difference is: at each decile, a block has the difference of both groups' quantiles,
 * in which counts of a coarse step are spread over that step. Means of some blocks each are judged
 * by Wilcoxon's signed ranks, which supposes that they are symmetric about the true difference.
 */

#ifndef CPUCYCLES_GROUPS_H
#define CPUCYCLES_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GROUPS_DECILES 9
#define GROUPS_PLACES (GROUPS_DECILES + 1)
#define GROUPS_TAIL GROUPS_DECILES /* the number of the last place */
#define GROUPS_TAIL_QUANTILE 0.99

/* Two groups have no difference only if the shares of calls above the quantile of 99 % are shown to
 * differ by less than this, too: one call in 200. A shift of all calls moves these shares as well.
 * So it suffices if they do not differ once the groups are shifted until their quantiles of 90 %
 * agree. */
#define GROUPS_TAIL_WITHIN 0.005

/* In a block of fewer calls, none can be above the quantile of 99 %. */
#define GROUPS_TAIL_CALLS 50

/* The quantile of a place, as a part of 1. */
double groups_quantile(size_t place);

/* One block, or the mean of some: the second group less the first. */
struct groups_value {
	double shares[GROUPS_PLACES];
	double differences[GROUPS_DECILES]; /* in units */
	double first[GROUPS_PLACES];        /* the first group's quantiles, and its share above */
	double shifted; /* as the last share, once the groups' last deciles agree */
	double calls;   /* of both groups */
};

/* The value of a block. Both arrays become sorted. step: the counts are multiples of this. scratch:
 * room for n + m values. False: a group has no call, so there is no value. */
bool groups_block(double first[], size_t n, double second[], size_t m, double step,
		  double scratch[], struct groups_value *value);

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

/* At how many blocks look number j, from 1, is due. */
size_t groups_due(unsigned look);

/* The place at which the groups differ most surely, and the chance that equal groups do so at any
 * place: at most this. */
double groups_chance(const struct groups *groups, size_t *place);

/* t at the surest place, by what this error asks for: above 1, a difference is shown. It grows with
 * the root of the number of blocks. */
double groups_reach(const struct groups *groups, double error);

struct groups_interval {
	double first; /* the mean of the first group's */
	double estimate, low, high;
};

/* Room for so many numbers. */
#define GROUPS_MEANS 64
#define GROUPS_SCRATCH (GROUPS_MEANS + GROUPS_MEANS * (GROUPS_MEANS + 1) / 2 + 1)

/* The difference at a decile, in units. False: so few blocks allow no interval. */
bool groups_difference(const struct groups *groups, size_t decile, double error, double scratch[],
		       struct groups_interval *interval);

/* The difference of the shares above the quantile of 99 %. False also if the blocks are too short
 * for that. */
bool groups_tail(const struct groups *groups, double error, double scratch[],
		 struct groups_interval *interval);

/* The same, once the groups are shifted until their quantiles of 90 % agree. */
bool groups_shifted_tail(const struct groups *groups, double error, double scratch[],
			 struct groups_interval *interval);

#endif
