/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Work of a known length for bench/verdicts: instructions that each wait for the result of the one
 * before. For C and C++. */

#ifndef CPUCYCLES_BENCH_DEPENDENT_H
#define CPUCYCLES_BENCH_DEPENDENT_H

/* The compiler must not know the value, or it would compute several steps at once. */
#if defined(__GNUC__)
#define DEPENDENT
#define DEPENDENT_HIDE(value) __asm__ volatile("" : "+r"(value))
#else
#define DEPENDENT volatile
#define DEPENDENT_HIDE(value)
#endif

/* A macro does not expand inside of itself, so a hundred are ten times twice five. */
#define DEPENDENT_FIVE(step) step step step step step
#define DEPENDENT_TEN(step) step step step step step step step step step step
#define DEPENDENT_HUNDRED(step) DEPENDENT_TEN(DEPENDENT_FIVE(step) DEPENDENT_FIVE(step))

/*
 * A function without a loop: the last branch of a loop takes longer after some numbers of rounds
 * than after others. It goes on with the value of the call before. Otherwise a wide processor would
 * execute several short calls side by side: on an AMD EPYC (family 26), 20 calls of 20 instructions
 * took no longer than 200 of these.
 */
#define DEPENDENT_FUNCTION(name, steps) \
	static inline void name(void *unused) \
	{ \
		static unsigned long kept = 3; \
		DEPENDENT unsigned long value = kept; \
\
		(void)unused; \
		DEPENDENT_HIDE(value); \
		steps kept = value; \
	}

#define DEPENDENT_MULTIPLY \
	value = value * 2654435769u; \
	DEPENDENT_HIDE(value);
#define DEPENDENT_400 \
	DEPENDENT_HUNDRED(DEPENDENT_MULTIPLY) \
	DEPENDENT_HUNDRED(DEPENDENT_MULTIPLY) \
	DEPENDENT_HUNDRED(DEPENDENT_MULTIPLY) \
	DEPENDENT_HUNDRED(DEPENDENT_MULTIPLY)

DEPENDENT_FUNCTION(dependent_40, DEPENDENT_TEN(DEPENDENT_MULTIPLY DEPENDENT_MULTIPLY
						       DEPENDENT_MULTIPLY DEPENDENT_MULTIPLY))
DEPENDENT_FUNCTION(dependent_400, DEPENDENT_400)
DEPENDENT_FUNCTION(dependent_401, DEPENDENT_400 DEPENDENT_MULTIPLY)
DEPENDENT_FUNCTION(dependent_404, DEPENDENT_400 DEPENDENT_MULTIPLY DEPENDENT_MULTIPLY
					  DEPENDENT_MULTIPLY DEPENDENT_MULTIPLY)
DEPENDENT_FUNCTION(dependent_408, DEPENDENT_400 DEPENDENT_FIVE(DEPENDENT_MULTIPLY)
					  DEPENDENT_MULTIPLY DEPENDENT_MULTIPLY DEPENDENT_MULTIPLY)

/* Exclusive-ors take one cycle each on every processor of today. */
#define DEPENDENT_XOR \
	value = value ^ 2654435769u; \
	DEPENDENT_HIDE(value);
#define DEPENDENT_20 DEPENDENT_TEN(DEPENDENT_XOR DEPENDENT_XOR)

DEPENDENT_FUNCTION(dependent_20, DEPENDENT_20)
DEPENDENT_FUNCTION(dependent_21, DEPENDENT_20 DEPENDENT_XOR)

#endif
