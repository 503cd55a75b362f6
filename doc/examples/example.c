/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include <cpucycles.h>
#include <stdio.h>

/* What is measured: replace it by your own. */
static void work(void)
{
	for (volatile int i = 0; i < 1000; i++)
		;
}

int main(void)
{
	long long start, cycles;

	cpucycles(); /* the first call selects a counter, which takes its time */
	start = cpucycles();
	work();
	cycles = cpucycles() - start;
	printf("%lld cycles, %lld ns, counted by %s\n", cycles, cpucycles_nanoseconds(cycles),
	       cpucycles_implementation());
	return 0;
}
