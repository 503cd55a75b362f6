/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A series of samples, and statistics on series: pure functions over arrays. */

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
	char why[SERIES_WHY]; /* why it is not measured, or not to the end; empty: it is */
};

/* Needs at least one sample. Quartiles are interpolated between neighbours. */
struct spread {
	double min, low, median, high, max;
};

struct spread spread_of(const double *samples, size_t n);

/* The ratio of two medians, and the interval that has 95 % of the ratios of resampled series. */
struct interval {
	double low, middle, high;
};

struct interval ratio_of(const struct series *a, const struct series *b, uint64_t seed);

/*
 * The rank test of Mann and Whitney, corrected for ties, as a standard score: how far the ranks of
 * a lie above the ranks that chance would give it. 0 if all samples are equal.
 */
double rank_score(const double *a, size_t a_n, const double *b, size_t b_n);

/*
 * -1 if a is lower than b beyond the noise, 1 if it is higher, 0 if no difference is shown. Beyond
 * the noise means both: chance makes such a difference of ranks less than once in a thousand times,
 * and the middle halves of the samples do not overlap.
 */
int series_differ(const struct series *a, const struct series *b);

/*
 * The largest chance of an event that is still believable after `hits` of it in `tries` tries: with
 * a larger chance, so few hits come in less than 5 % of all cases. The exact bound of Clopper and
 * Pearson, one-sided. The smallest believable chance is 1 - chance_at_most(tries - hits, tries).
 */
double chance_at_most(size_t hits, size_t tries);

/* The same two bounds in percent, rounded up and down to hundredths: a rounded bound is still one.
 */
double percent_at_most(size_t hits, size_t tries);
double percent_at_least(size_t hits, size_t tries);

/* Random numbers from a state that must not begin with 0; the same on every machine. xorshift64*,
 * Vigna 2016. */
uint64_t random_next(uint64_t *state);

/* A state for series number `number` of a seed. */
uint64_t random_begin(uint64_t seed, uint64_t number);

#endif
