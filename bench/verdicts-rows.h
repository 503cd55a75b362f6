/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The rows of bench/verdicts: what is compared, by whom, and what is drawn for each comparison. */

#ifndef CPUCYCLES_BENCH_VERDICTS_ROWS_H
#define CPUCYCLES_BENCH_VERDICTS_ROWS_H

#include "verdicts.h"

#include <stddef.h>

/* The options that say how many comparisons a row has. */
enum tries {
	TRIES_SAME,
	TRIES_LONG,
	TRIES_SHORT,
	TRIES_TOOL,
	TRIES_LINKED,
	TRIES_GATE,
	TRIES_GOOGLE,
	TRIES_REAL,
	TRIES_STRAIGHT,
	TRIES_WITHIN,
	TRIES_ADVICE,
	TRIES_REBUILDS,
};

struct row {
	const char *name;
	enum means means;
	enum subject subject;
	/* The same code: copies of set[from] to set[to - 1], in turn. NULL: the functions differ.
	 */
	const struct alike *set;
	long from, to;
	bool one_name; /* the copy of the same name in the other file, which is built alike */
	const char *fast, *slow; /* the functions that differ */
	bool in_order;           /* the fast one is always the first */
	unsigned budget_ms;      /* 0: a default */
	unsigned seconds;        /* of the tool; 0: its default */
	const char *within;      /* an option of the tool; NULL: not given */
	const char *files[2];    /* of the tool */
	enum tries tries;
	int goal; /* in percent; 0: none. How often a verdict on the same code is wrong at most, or
		   * how often it is right at least. */
};

#define ROWS 24

/* The first ones are those of the library, one for each of alike_all. */
extern const struct row rows_all[ROWS];

/* Draw comparison number i of a row, from 0: each pair of functions is drawn, and compared in both
 * orders, one after the other. c: comparison number i - 1. */
void rows_draw(const struct row *row, long i, uint64_t *state, struct comparison *c);

#endif
