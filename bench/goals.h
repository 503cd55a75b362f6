/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The speed that the project wants, and whether a run shows that it is reached. */

#ifndef CPUCYCLES_BENCH_GOALS_H
#define CPUCYCLES_BENCH_GOALS_H

#include "bench.h"

enum goal_kind {
	GOAL_RATIO, /* median of series : median of beside is at most limit */
	GOAL_MOST,  /* the highest sample of series is at most limit */
};

struct goal {
	const char *what;
	enum goal_kind kind;
	const char *series, *beside; /* beside: NULL for GOAL_MOST */
	double limit;
	double limit_emulated; /* the limit on an emulated machine; 0: the same */
};

/* A goal held against one run. */
struct goal_state {
	const char *verdict; /* "reached", "missed", "not shown" or "not measured" */
	struct interval figure;
	double limit;
	char note[SERIES_WHY]; /* by how much it is missed, or why it is not measured */
};

extern const struct goal goals[];
extern const size_t goals_count;

struct goal_state goal_look(const struct bench *bench, const struct goal *goal);

#endif
