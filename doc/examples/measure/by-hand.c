/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Before: two functions, measured as most people do it by hand. The program prints two numbers, and
 * some of what is wrong with them does not show:
 *
 * - No fence keeps the processor from reading the counter before the work is done.
 * - The reads themselves take time, which is in the result.
 * - A mean has each interrupt in it, and each time that another program ran.
 * - The second function runs after the first one, perhaps at another frequency of the core.
 * - Are the two numbers different, or is that chance? The next run prints two others.
 *
 * with-meter.c measures the same functions without these faults.
 */

#include "works.h"

#include <cpucycles.h>
#include <stdio.h>

#define CALLS 1000

static double mean(void (*work)(void *))
{
	long long cycles = 0;

	for (int i = 0; i < CALLS; i++) {
		const long long start = cpucycles();

		work(NULL);
		cycles += cpucycles() - start;
	}
	return (double)cycles / CALLS;
}

int main(void)
{
	cpucycles(); /* not measured: the first call selects a counter, which takes longer */
	printf("one_sum: %.1f\n", mean(one_sum));
	printf("four_sums: %.1f\n", mean(four_sums));
	return 0;
}
