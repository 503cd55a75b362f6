/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the files of bench/verdicts share. */

#ifndef CPUCYCLES_BENCH_VERDICTS_H
#define CPUCYCLES_BENCH_VERDICTS_H

#include <stdbool.h>
#include <stdint.h>

#define VERDICTS_WHY 200

/* The first word of this program's arguments if it shall make one comparison and print its answer.
 * The first function, the second one, the milliseconds and the seed follow. */
#define VERDICTS_ONE "--one"

/* Who compares. */
enum means { BY_LIBRARY, BY_TOOL, BY_LINKING, BY_GATE, BY_GOOGLE, BY_GOOGLE_INTERLEAVED };

/* Two functions of alike.h, by name. */
struct comparison {
	enum means means;
	char first[24], second[24];
	unsigned budget_ms; /* BY_LIBRARY only; the others have their own limits */
	unsigned seed;      /* of the order of the calls */
};

/* What is said of the second function. An alarm of a gate is SLOWER, and all else that a gate says
 * is CANNOT_TELL. */
enum answer { CANNOT_TELL, FASTER, SLOWER, TOO_FAST, FAILED };

/* Compare in a fresh process, so that all addresses and physical pages are drawn anew. program is
 * this program; the others lie at known places relative to it. why: the reason of TOO_FAST and of
 * FAILED. */
enum answer verdicts_ask(const char *program, const struct comparison *comparison,
			 char why[VERDICTS_WHY]);

/* The fresh process of BY_LIBRARY: compare, and print the answer. words follow VERDICTS_ONE.
 * Returns the exit status. */
int verdicts_one(char *const words[4]);

/* The counts of one row. */
struct outcome {
	const char *name;
	bool same; /* the two functions are the same code, so each verdict is wrong */
	bool goal; /* the project has a goal for it */
	long tries, faster, slower, right, wrong, too_fast;
	char why[VERDICTS_WHY]; /* of the last one that was too fast */
};

void report_row(const struct outcome *outcome);
void report_not_measured(const struct outcome *outcome, const char *why);

/* False: not written. A message has said why. */
bool report_json(const char *path, const struct outcome outcomes[], int n, bool busy, long seed);

#endif
