/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Chains of a known length, of which some inputs are a known number of cycles longer. The branch
 * on the input must take no time of its own. So it comes behind the first 100 multiplications,
 * which take 300 cycles or more: a processor that looks so far ahead decides the branch, and mends
 * a wrong prediction, while these multiplications still run.
 */

#include "config.h"

#include "leaks.h"

#include "dependent.h"
#include "series.h"

#include <string.h>

#define BEFORE DEPENDENT_HUNDRED(DEPENDENT_MULTIPLY)
#define BEHIND \
	DEPENDENT_HUNDRED(DEPENDENT_MULTIPLY) \
	DEPENDENT_HUNDRED(DEPENDENT_MULTIPLY) \
	DEPENDENT_TEN(DEPENDENT_MULTIPLY) \
	DEPENDENT_TEN(DEPENDENT_MULTIPLY) \
	DEPENDENT_TEN(DEPENDENT_MULTIPLY) \
	DEPENDENT_MULTIPLY DEPENDENT_MULTIPLY DEPENDENT_MULTIPLY

/* One call in so many is longer. */
#define RARE 100

/* 333 multiplications: some 1,000 cycles where one takes three. */
#define CHAIN(name, more) \
	void name(const unsigned char *input, void *unused) \
	{ \
		static unsigned long kept = 3; \
		DEPENDENT unsigned long value = kept; \
\
		(void)unused; \
		DEPENDENT_HIDE(value); \
		BEFORE \
		if (input[0]) { \
			more \
		} \
		BEHIND \
		kept = value; \
	}

CHAIN(known_two_more, DEPENDENT_XOR DEPENDENT_XOR)
CHAIN(known_rare, DEPENDENT_HUNDRED(DEPENDENT_XOR) DEPENDENT_HUNDRED(DEPENDENT_XOR))

void known_zero(unsigned char *input)
{
	memset(input, 0, SECRET_BYTES);
}

void known_two_more_drawn(unsigned char *input, uint64_t *state)
{
	(void)state;
	known_zero(input);
	input[0] = 1;
}

void known_rare_drawn(unsigned char *input, uint64_t *state)
{
	known_zero(input);
	input[0] = (random_next(state) >> 32) % RARE == 0;
}
