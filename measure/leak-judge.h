/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the blocks of a test for leaks say: its verdict, after each look. How two groups are
 * compared is a question for groups.h. Pure. */

#ifndef CPUCYCLES_LEAK_JUDGE_H
#define CPUCYCLES_LEAK_JUDGE_H

#include "cpucycles-measure.h"
#include "groups.h"

#include <stdbool.h>
#include <stddef.h>

/* The first LEAK_JUDGE_EARLY calls of both groups, in whole blocks, choose the cuts. Of all calls,
 * twice as many are kept, evenly. */
#define LEAK_JUDGE_EARLY 2048
#define LEAK_JUDGE_BLOCK 1024 /* a block has no more calls */
#define LEAK_JUDGE_KEPT (2 * LEAK_JUDGE_EARLY)

/* The groups at each quantile, at the last look. */
struct leak_quantiles {
	struct groups_interval deciles[GROUPS_DECILES];
	struct groups_interval head, tail; /* the shares up to 1 %, and above 99 % */
};

struct leak_judge {
	double threshold, resolution, alpha;
	double apart; /* by no more, calls do not matter, or cannot be distinguished */
	bool threshold_given;
	unsigned look;                 /* number of looks */
	size_t looked;                 /* blocks at the last look */
	struct groups groups, control; /* the groups, and the two ways of the control */
	struct groups_cuts cuts;
	/* What is known since the cuts were last seen to hold. held_blocks: the blocks then.
	 * check_at: the calls at which they are looked at again. */
	struct groups_between between;
	size_t held_blocks, check_at;
	size_t moved; /* how often they did not hold: the function has become faster or slower */
	/* The calls for which the cuts held, and the sum over them of what does not matter. */
	double held_calls, within[GROUPS_CUTS];
	/* Each stride-th time, by which cuts are chosen, and how many calls come before the next
	 * such time. */
	double kept[LEAK_JUDGE_KEPT];
	size_t kept_n, stride, skip;
	/* Of the last look at all cuts: whether a share that matters is shown, and how many times
	 * as many calls might show that there is none. */
	bool is_beyond;
	double times_beyond;
	struct leak_quantiles quantiles;
	double scratch[GROUPS_SCRATCH];
};

/* *judge is all zeros. Nothing is known yet, which *result says. threshold: what does not matter,
 * or 0. resolution: of the counter.
 */
void leak_judge_begin(struct leak_judge *judge, double threshold, double resolution, double alpha,
		      struct cpucycles_leak_findings *result);

/* Add a block's times of both groups, or of both ways of the control. Both arrays become sorted.
 * scratch: room for n + m values. */
void leak_judge_groups(struct leak_judge *judge, double first[], size_t n, double second[],
		       size_t m, double scratch[]);
void leak_judge_control(struct leak_judge *judge, double first[], size_t n, double second[],
			size_t m, double scratch[]);

/* If it is time for a look, or, at last, if there are blocks that no look has seen: what is known
 * now. The result has to have the numbers of calls. True: there is a verdict. */
bool leak_judge_look(struct leak_judge *judge, bool last, struct cpucycles_leak_findings *result);

/* Whether a result that another process has left makes sense. */
bool leak_judge_is_sane(const struct cpucycles_leak_findings *result,
			const struct leak_quantiles *quantiles);

/* Counts of a coarse step tell a difference below it if they vary by themselves. If the same count
 * comes always, they do not: then the interval has no width. */
static inline bool leak_judge_is_coarse(double threshold, double resolution,
					const struct groups_interval *decile)
{
	return threshold < resolution && decile->low == decile->high;
}

#endif
