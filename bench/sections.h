/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The parts of a run. Each has a file of its own, of the name behind "bench_". */

#ifndef CPUCYCLES_BENCH_SECTIONS_H
#define CPUCYCLES_BENCH_SECTIONS_H

#include "answer.h"

/* Makes the run's folder and finds or makes a valid cache. False: standard error says why. */
bool bench_prepare(struct bench *bench);

/* Each measures its part and adds its samples to the store. */
void bench_first(struct bench *bench);
void bench_reads(struct bench *bench);
void bench_growth(struct bench *bench);
void bench_calibrator(struct bench *bench);
void bench_size(struct bench *bench);

/* In first.c: adds one sample of first.VARIANT that was taken on another machine. */
void bench_import(struct bench *bench, const char *variant, const struct answer *answer);

#endif
