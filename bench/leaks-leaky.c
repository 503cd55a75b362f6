/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Functions whose time depends on their input, as they are found in cryptography. */

#include "config.h"

#include "leaks.h"

#include "dependent.h"
#include "series.h"

#include <string.h>

#define BLOCK 32          /* bytes of an input */
#define TABLE_WORDS 16384 /* 64 KiB: more than the first cache of most processors */
#define EXPONENTS 2
#define LOOP_MASK 31

static volatile uint32_t result;

const unsigned char leaks_secret[SECRET_BYTES] = {
	0x43, 0x79, 0x1c, 0xe5, 0x20, 0x9a, 0xd7, 0x3f, 0x88, 0x06, 0xb1,
	0x5d, 0xf2, 0x6a, 0x94, 0xcb, 0x11, 0x77, 0xee, 0x38, 0x52, 0xa0,
	0xc9, 0x0d, 0x64, 0xbf, 0x2b, 0x85, 0xda, 0x49, 0x36, 0x90,
};

void leaks_secret_fixed(unsigned char *input)
{
	memcpy(input, leaks_secret, SECRET_BYTES);
}

/* It ends at the first byte that differs. */
void leaky_compare(const unsigned char *input, void *unused)
{
	uint32_t equal = 1;

	(void)unused;
	for (size_t i = 0; i < SECRET_BYTES; i++) {
		if (input[i] != leaks_secret[i]) {
			equal = 0;
			break;
		}
	}
	result = equal;
}

/* One bit decides whether something more is done. */
void leaky_bit(const unsigned char *input, void *unused)
{
	DEPENDENT unsigned long value = input[1];

	(void)unused;
	DEPENDENT_HIDE(value);
	if (input[0] & 1) {
		DEPENDENT_TEN(DEPENDENT_MULTIPLY)
	}
	result = (uint32_t)value;
}

static uint32_t word_of(const unsigned char *bytes)
{
	uint32_t word;

	memcpy(&word, bytes, sizeof word);
	return word;
}

/* Square and multiply: a bit that is set takes one multiplication more. */
void leaky_power(const unsigned char *input, void *unused)
{
	uint64_t sum = 0;

	(void)unused;
	for (size_t n = 0; n < EXPONENTS; n++) {
		const uint32_t exponent = word_of(input + n * sizeof exponent);
		uint64_t power = 1;

		for (int bit = 31; bit >= 0; bit--) {
			power = power * power % LEAKS_PRIME;
			if (exponent >> bit & 1)
				power = power * 7 % LEAKS_PRIME;
		}
		sum += power;
	}
	result = (uint32_t)sum;
}

static uint32_t table[TABLE_WORDS];

void leaky_prepare(void)
{
	for (size_t i = 0; i < TABLE_WORDS; i++)
		table[i] = (uint32_t)i * UINT32_C(2654435769);
}

/* The place in a large table is secret. Each index follows from the value before. */
void leaky_lookup(const unsigned char *input, void *unused)
{
	uint32_t value = 0;

	(void)unused;
	for (size_t i = 0; i < 4; i++) {
		const uint32_t secret = word_of(input + i * sizeof secret);

		value = table[(value ^ secret) % TABLE_WORDS];
	}
	result = value;
}

/* Divisions of 64 bits, whose quotients are small or large. */
void leaky_divide(const unsigned char *input, void *unused)
{
	static volatile uint64_t divisor_of_all = 3;
	const uint64_t divisor = divisor_of_all;
	uint64_t sum = 0;

	(void)unused;
	for (size_t i = 0; i < BLOCK / sizeof sum; i++) {
		uint64_t dividend;

		memcpy(&dividend, input + i * sizeof dividend, sizeof dividend);
		sum = (dividend ^ (sum & 1)) / divisor;
	}
	result = (uint32_t)sum;
}

void leaky_divide_fixed(unsigned char *input)
{
	memset(input, 0, BLOCK);
}

/* The last byte says how many bytes of padding there are, which all have to be that number. */
void leaky_padding(const unsigned char *input, void *unused)
{
	const size_t n = input[BLOCK - 1];
	uint32_t right = n >= 1 && n <= BLOCK;

	(void)unused;
	for (size_t i = 1; right && i <= n; i++)
		if (input[BLOCK - i] != n)
			right = 0;
	result = right;
}

void leaky_padding_fixed(unsigned char *input)
{
	memset(input, 16, BLOCK);
}

/* As many rounds as the input says. */
void leaky_count(const unsigned char *input, void *unused)
{
	DEPENDENT unsigned long value = input[1];

	(void)unused;
	DEPENDENT_HIDE(value);
	for (unsigned i = input[0] & LOOP_MASK; i > 0; i--) {
		DEPENDENT_MULTIPLY
	}
	result = (uint32_t)value;
}

#define NUMBERS (BLOCK / sizeof(double))

/* Products that are subnormal numbers, or not. */
void leaky_subnormal(const unsigned char *input, void *unused)
{
	static volatile double factor_of_all = 0.5;
	const double factor = factor_of_all;
	double sum = 0;

	(void)unused;
	for (int round = 0; round < 4; round++) {
		for (size_t i = 0; i < NUMBERS; i++) {
			double number;

			memcpy(&number, input + i * sizeof number, sizeof number);
			sum = (sum + number) * factor;
		}
	}
	result = sum > 0;
}

void leaky_subnormal_fixed(unsigned char *input)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		const double number = 1.5;

		memcpy(input + i * sizeof number, &number, sizeof number);
	}
}

void leaky_subnormal_drawn(unsigned char *input, uint64_t *state)
{
	for (size_t i = 0; i < NUMBERS; i++) {
		/* The bits of a double whose exponent is 0. */
		const uint64_t bits = random_next(state) >> 16;

		memcpy(input + i * sizeof bits, &bits, sizeof bits);
	}
}
