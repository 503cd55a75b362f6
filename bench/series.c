/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A standard score that chance exceeds, on either side, once in a thousand times. */
#define SCORE_LIMIT 3.29

#define RESAMPLES 1000

/* The chance that a bound of chance_at_most() is wrong. */
#define BOUND_ERROR 0.05
#define BOUND_HALVINGS 60

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double *room_for(size_t n)
{
	double *room = malloc((n ? n : 1) * sizeof room[0]);

	if (!room)
		abort();
	return room;
}

static double *sorted(const double *samples, size_t n)
{
	double *copy = room_for(n);

	memcpy(copy, samples, n * sizeof copy[0]);
	qsort(copy, n, sizeof copy[0], compare);
	return copy;
}

/* samples are sorted. Linear between neighbours. */
static double quantile(const double *samples, size_t n, double part)
{
	double at = part * (double)(n - 1);
	size_t i = (size_t)at;

	if (i + 1 >= n)
		return samples[n - 1];
	return samples[i] + (at - (double)i) * (samples[i + 1] - samples[i]);
}

struct spread spread_of(const double *samples, size_t n)
{
	double *s = sorted(samples, n);
	struct spread spread = {
		.min = s[0],
		.low = quantile(s, n, 0.25),
		.median = quantile(s, n, 0.5),
		.high = quantile(s, n, 0.75),
		.max = s[n - 1],
	};

	free(s);
	return spread;
}

uint64_t random_next(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(2685821657736338717);
}

/* The first numbers are left out: those of two states that differ in few bits resemble each other.
 */
uint64_t random_begin(uint64_t seed, uint64_t number)
{
	uint64_t state = seed * UINT64_C(0x9e3779b97f4a7c15) + number + 1;

	state = state ? state : 1;
	for (int i = 0; i < 8; i++)
		random_next(&state);
	return state;
}

/* The median of n samples that are drawn with replacement. */
static double resampled_median(const struct series *s, double *room, uint64_t *state)
{
	for (size_t i = 0; i < s->n; i++)
		room[i] = s->samples[random_next(state) % s->n];
	qsort(room, s->n, sizeof room[0], compare);
	return quantile(room, s->n, 0.5);
}

struct interval ratio_of(const struct series *a, const struct series *b, uint64_t seed)
{
	double *room = room_for(a->n > b->n ? a->n : b->n);
	double *ratios = room_for(RESAMPLES);
	uint64_t state = seed | 1;
	struct interval interval;

	for (size_t i = 0; i < RESAMPLES; i++) {
		ratios[i] = resampled_median(a, room, &state);
		ratios[i] /= resampled_median(b, room, &state);
	}
	qsort(ratios, RESAMPLES, sizeof ratios[0], compare);
	interval.low = quantile(ratios, RESAMPLES, 0.025);
	interval.middle = spread_of(a->samples, a->n).median / spread_of(b->samples, b->n).median;
	interval.high = quantile(ratios, RESAMPLES, 0.975);
	free(room);
	free(ratios);
	return interval;
}

/* s is sorted. below: how many samples are less than x; upto: how many are not more. */
static void ranks_around(const double *s, size_t n, double x, size_t *below, size_t *upto)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (s[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	*below = low;
	while (low < n && !(s[low] > x))
		low++;
	*upto = low;
}

/* The correction of the variance of ranks for ties. s is sorted. */
static double ties_in(const double *s, size_t n)
{
	double ties = 0;

	for (size_t i = 0; i < n;) {
		size_t below, upto;
		double t;

		ranks_around(s, n, s[i], &below, &upto);
		t = (double)(upto - below);
		ties += t * t * t - t;
		i = upto;
	}
	return ties;
}

double rank_score(const double *a, size_t a_n, const double *b, size_t b_n)
{
	size_t n = a_n + b_n;
	double *both = room_for(n), *s;
	double sum = 0, variance;

	memcpy(both, a, a_n * sizeof both[0]);
	memcpy(both + a_n, b, b_n * sizeof both[0]);
	s = sorted(both, n);
	for (size_t i = 0; i < a_n; i++) {
		size_t below, upto;

		ranks_around(s, n, a[i], &below, &upto);
		sum += (double)(below + upto + 1) / 2; /* tied samples share the middle rank */
	}
	variance = (double)a_n * (double)b_n / 12 *
		   ((double)(n + 1) - ties_in(s, n) / ((double)n * (double)(n - 1)));
	free(s);
	free(both);
	sum -= (double)a_n * (double)(n + 1) / 2;
	return variance > 0 ? sum / sqrt(variance) : 0;
}

int series_differ(const struct series *a, const struct series *b)
{
	struct spread x, y;

	if (a->n < 2 || b->n < 2)
		return 0;
	if (fabs(rank_score(a->samples, a->n, b->samples, b->n)) < SCORE_LIMIT)
		return 0;
	x = spread_of(a->samples, a->n);
	y = spread_of(b->samples, b->n);
	if (x.high < y.low)
		return -1;
	return x.low > y.high ? 1 : 0;
}

/* The chance of so many hits or fewer, if each try hits with this chance. The logarithms of the
 * terms are added, because the terms themselves can be too small or too large for a double. */
static double binomial_upto(size_t hits, size_t tries, double chance)
{
	double sum = 0;

	for (size_t i = 0; i <= hits; i++) {
		const double yes = (double)i, no = (double)(tries - i);

		sum += exp(lgamma((double)tries + 1) - lgamma(yes + 1) - lgamma(no + 1) +
			   yes * log(chance) + no * log1p(-chance));
	}
	return sum;
}

double chance_at_most(size_t hits, size_t tries)
{
	double low = 0, high = 1;

	if (hits >= tries)
		return 1;
	for (int i = 0; i < BOUND_HALVINGS; i++) {
		const double middle = (low + high) / 2;

		if (binomial_upto(hits, tries, middle) > BOUND_ERROR)
			low = middle;
		else
			high = middle;
	}
	return high;
}

double percent_at_most(size_t hits, size_t tries)
{
	return ceil(chance_at_most(hits, tries) * 1e4) / 100;
}

double percent_at_least(size_t hits, size_t tries)
{
	return floor((1 - chance_at_most(tries - hits, tries)) * 1e4) / 100;
}
