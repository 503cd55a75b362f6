/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include <cpucycles.h>
#include <stdio.h>

/* Count the cycles of a loop. No cycles, or no frequency, are a failure. */
int main(void)
{
	long long start = cpucycles(), cycles;

	for (volatile int i = 0; i < 1000000; i++)
		;
	cycles = cpucycles() - start;
	printf("%lld cycles by %s, %lld per second\n", cycles, cpucycles_implementation(),
	       cpucycles_persecond());
	return !(cycles > 0 && cpucycles_persecond() > 0);
}
