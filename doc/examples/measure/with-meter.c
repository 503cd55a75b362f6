/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * After: the two functions of by-hand.c, measured with a meter. The program prints what it measured
 * with, how long each function takes, what casts doubt on that, and which function is faster. The
 * program in cpucycles-measure(3) asks the meter for these figures instead.
 */

#include "works.h"

#include <cpucycles-measure.h>
#include <stdio.h>

int main(void)
{
	static const struct cpucycles_work works[] = {
		CPUCYCLES_WORK("one_sum", one_sum, NULL),
		CPUCYCLES_WORK("four_sums", four_sums, NULL),
	};

	/* NULL: the default plan, half a second at most. */
	return cpucycles_measure_print(stdout, works, 2, NULL) != 0;
}
