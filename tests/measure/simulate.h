/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Random series such as benchmarks give, and how often chance allows something to happen. They use
 * the random numbers of unit.h. */

#ifndef CPUCYCLES_SIMULATE_H
#define CPUCYCLES_SIMULATE_H

#include "unit.h"

#include <math.h>

/* The seed of a run without TEST_SEED: such runs are all the same. */
#define SIMULATE_SEED 17

/* A test of chance may fail with this chance, if it is run with another seed. */
#define SIMULATE_LUCK 1e-9

/* From 0 to 1, both left out. */
static inline double simulate_part(void)
{
	return ((double)(unit_random() >> 11) + 0.5) * 0x1p-53;
}

/* A random point in the unit circle, by its coordinates: Marsaglia's polar method, which needs no
 * cos() and no tan(). Those of a static libc have instructions that qemu-ppc does not know. */
static inline double simulate_point(double *x, double *y)
{
	double square;

	do {
		*x = 2 * simulate_part() - 1;
		*y = 2 * simulate_part() - 1;
		square = *x * *x + *y * *y;
	} while (!(square > 0 && square < 1));
	return square;
}

/* Normal, with mean 0 and standard deviation 1. */
static inline double simulate_normal(void)
{
	double x, y;
	const double square = simulate_point(&x, &y);

	return x * sqrt(-2 * log(square) / square);
}

/* So heavy in its tails that it has no mean. The median is 0. */
static inline double simulate_cauchy(void)
{
	double x, y;

	simulate_point(&x, &y);
	return x / y;
}

/* A kind of series: value number i is drawn at random. */
struct simulate_series {
	const char *name;
	double (*draw)(size_t i);
};

/* The chance that at least k of n things happen, each with the chance p. */
static inline double simulate_tail(size_t n, double p, size_t k)
{
	const double all = lgamma((double)n + 1);
	double sum = 0;

	for (size_t i = k; i <= n; i++)
		sum += exp(all - lgamma((double)i + 1) - lgamma((double)(n - i) + 1) +
			   (double)i * log(p) + (double)(n - i) * log1p(-p));
	return sum;
}

/* Fail if so many of n happened that they have a larger chance than p. */
static inline void simulate_at_most(size_t happened, size_t n, double p, const char *what)
{
	printf("# %s: %zu of %zu, promised: %.4g\n", what, happened, n, p * (double)n);
	fflush(stdout);
	if (simulate_tail(n, p, happened) < SIMULATE_LUCK)
		fail_msg("%s: %zu of %zu, which is more than %g of them", what, happened, n, p);
}

/* Fail if so few of n happened that they have a smaller chance than p. */
static inline void simulate_at_least(size_t happened, size_t n, double p, const char *what)
{
	printf("# %s: %zu of %zu, promised: %.4g\n", what, happened, n, p * (double)n);
	fflush(stdout);
	if (simulate_tail(n, 1 - p, n - happened) < SIMULATE_LUCK)
		fail_msg("%s: %zu of %zu, which is fewer than %g of them", what, happened, n, p);
}

#endif
