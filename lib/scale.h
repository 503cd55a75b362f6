/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* From ticks to cycles in fixed point: count = floor(ticks * num / den), without a division and
 * without floating point. Pure. */

#ifndef CPUCYCLES_SCALE_H
#define CPUCYCLES_SCALE_H

#include "counter.h"

/*
 * How many bits of a clock's multiplier are after the binary point. OS clocks are read in
 * nanoseconds and scaled by at most 100 (100 GHz), which needs the 7 bits that are left. The
 * multiplier is rounded up, so that the result is never too small; for a ratio with a short period
 * it is exact.
 */
#define SCALE_CLOCK_SHIFT 57

/* The lower 64 bits of a * b >> shift, for 0 < shift < 64. */
static inline uint64_t scale_multiply(uint64_t a, uint64_t b, unsigned shift)
{
#ifdef __SIZEOF_INT128__
	__extension__ typedef unsigned __int128 wide;

	return (uint64_t)((wide)a * b >> shift);
#else
	uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
	uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32);
	uint64_t middle = a0 * b1 + (uint32_t)cross;
	uint64_t high = a1 * b1 + (cross >> 32) + (middle >> 32);

	low = middle << 32 | (uint32_t)low;
	return high << (64 - shift) | low >> shift;
#endif
}

/* ceil(num / den * 2^shift), by long division. UINT64_MAX if that does not fit. */
static inline uint64_t scale_multiplier(struct ratio scaling, unsigned shift)
{
	uint64_t quotient = scaling.num / scaling.den;
	uint64_t rest = scaling.num % scaling.den;

	for (unsigned i = 0; i < shift; i++) {
		uint64_t bit;

		if (quotient >> 63)
			return UINT64_MAX;
		bit = rest >= scaling.den - rest;
		rest = bit ? rest - (scaling.den - rest) : rest * 2;
		quotient = quotient << 1 | bit;
	}
	if (rest && quotient != UINT64_MAX)
		quotient++;
	return quotient;
}

#endif
