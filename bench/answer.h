/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The line that `call first`, `call bare` and `many-N first` print. */

#ifndef CPUCYCLES_BENCH_ANSWER_H
#define CPUCYCLES_BENCH_ANSWER_H

#include "spawn.h"

struct answer {
	long long ns;    /* of the first call, the clock's own cost included */
	long long clock; /* ns between two readings of the clock */
	long faults;     /* page faults during the call */
	char implementation[64], source[32], status[32];
};

/* False: the line is no answer. */
bool answer_parse(const char *line, struct answer *answer);

/* Runs the command, which prints an answer. False: it failed, and why says how. */
bool answer_ask(const struct bench *bench, const struct command *command, struct answer *answer,
		char why[SERIES_WHY]);

#endif
