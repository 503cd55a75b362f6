/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * pair BLOCKS CALLS: what an empty sample of a meter costs, beside a pair of bare instructions with
 * the same fences. Both are differences of counts, in ticks, and both are taken in turns. Each
 * block prints the interquartile means of CALLS pairs.
 */

#include "config.h"

#include <stdio.h>

#if defined(__x86_64__) && !defined(WITHOUT_MEASURE)

#include "pair.h"
#include "statistics.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <x86intrin.h>

/* What people write by hand. */
static inline int64_t take_bare(void)
{
	uint64_t begin, end;

	_mm_lfence();
	begin = __rdtsc();
	_mm_lfence();
	_mm_lfence();
	end = __rdtsc();
	_mm_lfence();
	return (int64_t)(end - begin);
}

static double mean_of_bare(double values[], size_t calls)
{
	for (size_t i = 0; i < calls; i++)
		values[i] = (double)take_bare();
	statistics_sort(values, calls);
	return statistics_iqm(values, calls);
}

static int64_t count_of(struct pair pair)
{
	return pair.end - pair.begin;
}

static double mean_of_meter(const struct source *source, double values[], size_t calls)
{
	for (size_t i = 0; i < calls; i++)
		values[i] = (double)count_of(pair_take(source, NULL, NULL, 0));
	statistics_sort(values, calls);
	return statistics_iqm(values, calls);
}

/* The counter that reads the same register. */
static bool find_tsc(struct source *source)
{
	for (unsigned i = 0;; i++) {
		const int error = source_look(i, source, NULL);

		if (!error && source->is_tsc)
			return !source_ready(source, NULL);
		if (error == -EINVAL)
			return false;
	}
}

int main(int argc, char *argv[])
{
	const long blocks = argc == 3 ? strtol(argv[1], NULL, 10) : 0;
	const size_t calls = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	double *values = calloc(calls + 1, sizeof *values);
	struct source source;

	if (!values || !calls || !find_tsc(&source)) {
		fputs("pair: expected numbers of blocks and calls, and a time-stamp counter\n",
		      stderr);
		return 3;
	}
	for (long i = -1; i < blocks; i++) { /* the first is to warm up */
		const double meter = mean_of_meter(&source, values, calls);
		const double bare = mean_of_bare(values, calls);

		if (i >= 0)
			printf("block %.4f %.4f\n", meter, bare);
	}
	free(values);
	return fflush(stdout) ? 3 : 0;
}

#else

int main(void)
{
	fputs("pair: it is made for x86-64 and libcpucycles-measure only\n", stderr);
	return 3;
}

#endif
