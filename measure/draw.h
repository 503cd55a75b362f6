/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Random numbers, by xorshift64* (S. Vigna, 2016). All of their state is one number, which is never
 * 0. The same state gives the same numbers on every machine. Pure. */

#ifndef CPUCYCLES_DRAW_H
#define CPUCYCLES_DRAW_H

#include <stddef.h>
#include <stdint.h>

/* The state of series number `number` of this seed. Neighbouring seeds and numbers give states that
 * have nothing in common: splitmix64 stirs them. */
static inline uint64_t draw_begin(uint64_t seed, uint64_t number)
{
	uint64_t z =
		seed * UINT64_C(0xd1342543de82ef95) + (number + 1) * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	z ^= z >> 31;
	return z ? z : 1;
}

/* 32 random bits. */
static inline uint64_t draw_bits(uint64_t *state)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return *state * UINT64_C(0x2545f4914f6cdd1d) >> 32;
}

/* A number below n, which is above 0 and below 2 to the power of 32. */
static inline size_t draw_below(size_t n, uint64_t *state)
{
	return (size_t)(draw_bits(state) % n);
}

static inline void draw_shuffle(size_t order[], size_t n, uint64_t *state)
{
	for (size_t i = n; i > 1; i--) {
		const size_t j = draw_below(i, state), swapped = order[i - 1];

		order[i - 1] = order[j];
		order[j] = swapped;
	}
}

#endif
