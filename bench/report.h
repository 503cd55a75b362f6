/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What is said of a run: a table, the goals, and JSON. */

#ifndef CPUCYCLES_BENCH_REPORT_H
#define CPUCYCLES_BENCH_REPORT_H

#include "bench.h"

/* A goal, as far as this run tells. */
struct goal_state {
	const char *verdict;  /* reached, missed, not shown, not measured */
	struct interval figure;
	double limit;
	char note[SERIES_WHY];
};

enum goal_kind {
	GOAL_RATIO,   /* of two medians, at most limit */
	GOAL_MOST,    /* the highest sample is at most limit */
};

struct goal {
	const char *what;
	enum goal_kind kind;
	const char *series, *beside; /* beside: NULL for GOAL_MOST */
	double limit, limit_emulated; /* the latter in an emulated machine; 0: the same */
};

extern const struct goal goals[];
extern const size_t goals_count;

struct goal_state goal_look(const struct bench *bench, const struct goal *goal);

void report_table(const struct bench *bench);
void report_goals(const struct bench *bench);

/* False: it could not be written, and standard error says why. */
bool report_json(const struct bench *bench, const char *path);

#endif
