/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include <cpucycles.h>
#include <stdio.h>

/* Put the code here that you want to measure. */
static void work(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

int main(void)
{
	long long start, cycles;

	cpucycles(); /* not measured: the first call selects a counter, which takes longer */
	start = cpucycles();
	work();
	cycles = cpucycles() - start;
	printf("%lld cycles, %lld ns, counted by %s\n", cycles, cpucycles_nanoseconds(cycles),
	       cpucycles_implementation());
	return 0;
}
