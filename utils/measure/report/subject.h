/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The words for what is measured: functions, commands or benchmarks. Pure. */

#ifndef CPUCYCLES_MEASURE_SUBJECT_H
#define CPUCYCLES_MEASURE_SUBJECT_H

#include "figures.h"
#include "result/outcome.h"

struct subject_words {
	const char *one;  /* "function" */
	const char *ones; /* "Functions", which begins a sentence */
	const char *many; /* what a verdict is made from: "processes" */
	/* How far a verdict reaches, with what stands before it. */
	const char *scope;
	const char *longer; /* what shows more than a verdict, before a percentage: "on average" */
	const struct figures_words *figures; /* NULL: of functions */
};

const struct subject_words *subject_words(const struct outcome *outcome);

#endif
