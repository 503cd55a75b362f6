/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Two ways to raise 7 to a secret power, modulo the prime 2^31 - 1. The first one multiplies only
 * for the bits of the exponent that are set. The second one is Montgomery's ladder, which does the
 * same for each bit.
 *
 *     cpucycles-measure --leak power.c:square_and_multiply
 *     cpucycles-measure --leak power.c:ladder
 */

#include "functions.h"

#include <stdint.h>

#define PRIME UINT64_C(0x7fffffff)

static volatile uint32_t power;

/* a * b modulo the prime, for factors up to the prime. No division, whose time may depend on what
 * is divided. The prime itself stands for 0, too. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
	const uint64_t product = a * b, once = (product & PRIME) + (product >> 31);

	return (once & PRIME) + (once >> 31);
}

static uint32_t exponent_of(const unsigned char *input)
{
	return (uint32_t)input[0] | (uint32_t)input[1] << 8 | (uint32_t)input[2] << 16 |
	       (uint32_t)input[3] << 24;
}

const size_t square_and_multiply_input_bytes = 4;
void square_and_multiply(const unsigned char *input)
{
	const uint32_t exponent = exponent_of(input);
	uint64_t result = 1;

	for (int bit = 31; bit >= 0; bit--) {
		result = multiply(result, result);
		if (exponent >> bit & 1)
			result = multiply(result, 7);
	}
	power = (uint32_t)result;
}

const size_t ladder_input_bytes = 4;
void ladder(const unsigned char *input)
{
	const uint32_t exponent = exponent_of(input);
	uint64_t low = 1, high = 7;

	for (int bit = 31; bit >= 0; bit--) {
		const uint64_t mask = 0 - (uint64_t)(exponent >> bit & 1);
		uint64_t swap = (low ^ high) & mask;

		low ^= swap;
		high ^= swap;
		high = multiply(low, high);
		low = multiply(low, low);
		swap = (low ^ high) & mask;
		low ^= swap;
		high ^= swap;
	}
	power = (uint32_t)low;
}
