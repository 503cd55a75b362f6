/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Functions in several copies: other addresses, the same code. For bench/verdicts and for tests: a
 * comparison of two copies shows which other things than the code a verdict depends on. And
 * functions that are known to differ. For C and C++.
 *
 * Compiled with ALIKE_SHARED, alike.c is a shared object for cpucycles-measure: the functions have
 * their names to the outside, and no parameter.
 */

#ifndef CPUCYCLES_BENCH_ALIKE_H
#define CPUCYCLES_BENCH_ALIKE_H

#define ALIKE_COPIES 4
#define ALIKE_KINDS 4

#ifdef __cplusplus
extern "C" {
#endif

typedef void alike_function(void *unused);

struct alike {
	const char *name, *function; /* in words, and as the copies are called without their _N */
	alike_function *copies[ALIKE_COPIES];
};

extern const struct alike alike_all[ALIKE_KINDS];

/* Fill the tables that the functions read. Call this before them. */
void alike_prepare(void);

/* The copy of that name, such as chain_0, or one of multiply_400, multiply_401, multiply_404,
 * xor_20 and xor_21, which are the chains of dependent.h. NULL: there is none. */
alike_function *alike_named(const char *name);

#ifdef __cplusplus
}
#endif

#endif
