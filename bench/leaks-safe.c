/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Functions that do the same for each input: no branch and no address depends on it. */

#include "config.h"

#include "leaks.h"

#include <string.h>

#define TABLE 256

static volatile uint32_t result;

/* 1 if a is b, else 0. Both are below 2 to the power of 31. */
static uint32_t is_equal(uint32_t a, uint32_t b)
{
	return leaks_hide((a ^ b) - 1) >> 31;
}

/* All bits set if the last bit is, else none. */
static uint32_t mask_of(uint32_t bit)
{
	return leaks_hide(0 - (bit & 1));
}

/* All bytes are looked at. */
void safe_compare(const unsigned char *input, void *unused)
{
	uint32_t different = 0;

	(void)unused;
	for (size_t i = 0; i < SECRET_BYTES; i++)
		different |= (uint32_t)(input[i] ^ leaks_secret[i]);
	result = is_equal(different, 0);
}

/* The first bit selects one of two halves. */
void safe_select(const unsigned char *input, void *unused)
{
	const uint32_t mask = mask_of(input[0]);
	const unsigned char *const halves = input + 1;
	uint32_t sum = 0;

	(void)unused;
	for (size_t i = 0; i < SECRET_BYTES; i++)
		sum += (halves[i] & mask) | (halves[SECRET_BYTES + i] & ~mask);
	result = sum;
}

/* A byte of a table of 256, all of which are read. */
void safe_scan(const unsigned char *input, void *unused)
{
	uint32_t value = 0;

	(void)unused;
	for (uint32_t i = 0; i < TABLE; i++)
		value |= input[1 + i] & mask_of(is_equal(i, input[0]));
	result = value;
}

/* The S-box of AES for 32 bytes at once: word i has bit i of each byte. */
#define BITS 8
#define LANES 32

static void sliced_multiply(uint32_t to[BITS], const uint32_t a[BITS], const uint32_t b[BITS])
{
	uint32_t product[2 * BITS - 1] = { 0 };

	for (size_t i = 0; i < BITS; i++)
		for (size_t j = 0; j < BITS; j++)
			product[i + j] ^= a[i] & b[j];
	/* x to the power of 8 is x^4 + x^3 + x + 1. */
	for (size_t i = 2 * BITS - 2; i >= BITS; i--) {
		product[i - 4] ^= product[i];
		product[i - 5] ^= product[i];
		product[i - 7] ^= product[i];
		product[i - 8] ^= product[i];
	}
	memcpy(to, product, BITS * sizeof to[0]);
}

/* The inverse is the power of 254, which is 2 + 4 + ... + 128. */
static void sliced_invert(uint32_t x[BITS])
{
	uint32_t square[BITS], product[BITS] = { 0 };

	memset(&product[0], 0xff, sizeof product[0]);
	memcpy(square, x, sizeof square);
	for (int i = 1; i < BITS; i++) {
		sliced_multiply(square, square, square);
		sliced_multiply(product, product, square);
	}
	memcpy(x, product, sizeof product);
}

static void sliced_sbox(uint32_t x[BITS])
{
	uint32_t y[BITS];

	sliced_invert(x);
	for (size_t i = 0; i < BITS; i++)
		y[i] = x[i] ^ x[(i + 4) % BITS] ^ x[(i + 5) % BITS] ^ x[(i + 6) % BITS] ^
		       x[(i + 7) % BITS];
	for (size_t i = 0; i < BITS; i++)
		x[i] = y[i] ^ (0 - (UINT32_C(0x63) >> i & 1));
}

static void slice(const unsigned char bytes[LANES], uint32_t x[BITS])
{
	for (size_t i = 0; i < BITS; i++) {
		x[i] = 0;
		for (size_t lane = 0; lane < LANES; lane++)
			x[i] |= (uint32_t)(bytes[lane] >> i & 1) << lane;
	}
}

void safe_sbox(const unsigned char *input, void *unused)
{
	uint32_t x[BITS];

	(void)unused;
	slice(input, x);
	sliced_sbox(x);
	result = x[0] ^ x[7];
}

/* Of values below 2 to the power of 62. */
static uint32_t reduce(uint64_t value)
{
	const uint64_t once = (value & LEAKS_PRIME) + (value >> 31);
	const uint32_t twice = (uint32_t)((once & LEAKS_PRIME) + (once >> 31));
	const uint32_t less = twice - LEAKS_PRIME, mask = mask_of(less >> 31);

	return (twice & mask) | (less & ~mask);
}

static uint32_t times(uint32_t a, uint32_t b)
{
	return reduce((uint64_t)a * b);
}

/* Montgomery's ladder: both powers are made for each bit. */
static uint32_t ladder(uint32_t base, uint32_t exponent)
{
	uint32_t low = 1, high = base;

	for (int bit = 31; bit >= 0; bit--) {
		const uint32_t mask = mask_of(exponent >> bit), swap = (low ^ high) & mask;
		uint32_t back;

		low ^= swap;
		high ^= swap;
		high = times(low, high);
		low = times(low, low);
		back = (low ^ high) & mask;
		low ^= back;
		high ^= back;
	}
	return low;
}

void safe_ladder(const unsigned char *input, void *unused)
{
	uint32_t exponent;

	(void)unused;
	memcpy(&exponent, input, sizeof exponent);
	result = ladder(7, exponent);
}

/* As many bytes for each input. */
void safe_copy(const unsigned char *input, void *unused)
{
	static unsigned char copy[LEAKS_BYTES];

	(void)unused;
	memcpy(copy, input, sizeof copy);
	result = copy[leaks_hide(sizeof copy - 1)];
}

/* The S-box at bytes of FIPS 197, and the ladder against repeated multiplication. */
const char *leaks_check_safe(void)
{
	static const unsigned char from[] = { 0x00, 0x01, 0x53, 0x10, 0x9a, 0xff };
	static const unsigned char to[] = { 0x63, 0x7c, 0xed, 0xca, 0xb8, 0x16 };
	unsigned char bytes[LANES] = { 0 };
	uint32_t x[BITS];
	uint64_t power = 1;

	memcpy(bytes, from, sizeof from);
	slice(bytes, x);
	sliced_sbox(x);
	for (size_t lane = 0; lane < sizeof to; lane++)
		for (size_t i = 0; i < BITS; i++)
			if ((x[i] >> lane & 1) != (uint32_t)(to[lane] >> i & 1))
				return "the S-box of AES";
	for (uint32_t exponent = 0; exponent < 1000; exponent++) {
		if (ladder(7, exponent) != power)
			return "the ladder";
		power = power * 7 % LEAKS_PRIME;
	}
	return NULL;
}
