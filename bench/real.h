/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Functions as people have them, in several copies, for bench/verdicts: what cpucycles-measure says
 * of two copies shows how far a verdict is about the code. Each call does the same work, of 0.2 to
 * 20 us.
 *
 * Compiled with ALIKE_SHARED, real.c is an object file for cpucycles-measure: the functions have
 * their names to the outside, and no parameter.
 */

#ifndef CPUCYCLES_BENCH_REAL_H
#define CPUCYCLES_BENCH_REAL_H

#include "alike.h"

#include <stddef.h>
#include <stdint.h>

/* The first REAL_STRAIGHT of them are straight code: which branches are taken depends on no data.
 * The others are branchy. */
#define REAL_STRAIGHT 8
#define REAL_KINDS 21

extern const struct alike real_all[REAL_KINDS];

/* Fill what the functions read. Call this before them. */
void real_prepare(void);

/* What a function leaves: a value, bytes or both. */
#define REAL_BYTES 2048
extern uint64_t real_value;
extern unsigned char real_bytes[REAL_BYTES];

#endif
