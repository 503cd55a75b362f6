/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Functions in several copies: other addresses, the same code. For bench/verdicts and for tests: a
 * comparison of two copies shows what a verdict is made of beside the code. */

#ifndef CPUCYCLES_BENCH_ALIKE_H
#define CPUCYCLES_BENCH_ALIKE_H

#define ALIKE_COPIES 4
#define ALIKE_KINDS 4

struct alike {
	const char *name;
	void (*copies[ALIKE_COPIES])(void *unused);
};

extern const struct alike alike_all[ALIKE_KINDS];

/* Fill the tables that the functions read. Call this before them. */
void alike_prepare(void);

#endif
