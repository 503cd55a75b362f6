/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Samples of one thing measured, and what may be said of them: pure functions over arrays. */

#ifndef CPUCYCLES_BENCH_SERIES_H
#define CPUCYCLES_BENCH_SERIES_H

#include <stddef.h>
#include <stdint.h>

#define SERIES_NAME 64
#define SERIES_WHY 200

struct series {
	char name[SERIES_NAME];
	char unit[12];
	double *samples;
	size_t n, room;
	char why[SERIES_WHY]; /* it was not measured because; empty: it was */
};

/* Of at least one sample. Quartiles are interpolated between neighbours. */
struct spread {
	double min, low, median, high, max;
};

struct spread spread_of(const double *samples, size_t n);

/* The ratio of two medians, and the middle 95 % of what resampling both makes of it. */
struct interval {
	double low, middle, high;
};

struct interval ratio_of(const struct series *a, const struct series *b, uint64_t seed);

/*
 * Mann and Whitney's rank test, corrected for ties, as a standard score: how far the ranks of a
 * among those of both lie above what chance would give. 0 where all are equal.
 */
double rank_score(const double *a, size_t a_n, const double *b, size_t b_n);

/*
 * Whether a is lower (-1) or higher (1) than b beyond the noise: the rank test says that less
 * than one in a thousand such differences comes by chance, and the middle halves of the
 * samples lie apart. 0: no difference is shown.
 */
int series_differ(const struct series *a, const struct series *b);

/* Numbers from a seed other than 0; the same everywhere. (xorshift64*, Vigna 2016) */
uint64_t random_next(uint64_t *state);

#endif
