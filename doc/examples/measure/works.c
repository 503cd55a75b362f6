/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "works.h"

#define NUMBERS 4096

/* The compiler, or the linker by -flto, would see that nobody writes them, and would add up
 * nothing. What a volatile pointer leads to, neither knows. */
static const double zeros[NUMBERS];
static const double *volatile numbers_at = zeros;

/* Both functions store their result here. The compiler has to think that somebody reads it: the
 * additions for a result that nobody uses would be left out. */
volatile double sum_of_numbers;

void one_sum(void *unused)
{
	const double *numbers = numbers_at;
	double sum = 0;

	(void)unused;
	for (int i = 0; i < NUMBERS; i++)
		sum += numbers[i];
	sum_of_numbers = sum;
}

void four_sums(void *unused)
{
	const double *numbers = numbers_at;
	double a = 0, b = 0, c = 0, d = 0;

	(void)unused;
	for (int i = 0; i < NUMBERS; i += 4) {
		a += numbers[i];
		b += numbers[i + 1];
		c += numbers[i + 2];
		d += numbers[i + 3];
	}
	sum_of_numbers = a + b + c + d;
}
