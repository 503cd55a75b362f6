/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* ChaCha20 and Poly1305 of RFC 8439, and X25519 of RFC 7748 for its multiplication. Small, and not
 * made for speed. */

#include "config.h"

#include "leaks.h"

#include <string.h>

static volatile uint32_t result;

static uint32_t load(const unsigned char *bytes)
{
	return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static void store(unsigned char *bytes, uint32_t word)
{
	for (int i = 0; i < 4; i++)
		bytes[i] = (unsigned char)(word >> 8 * i & 0xff);
}

static uint32_t turn(uint32_t word, int bits)
{
	return word << bits | word >> (32 - bits);
}

static void quarter(uint32_t x[16], size_t a, size_t b, size_t c, size_t d)
{
	x[a] += x[b];
	x[d] = turn(x[d] ^ x[a], 16);
	x[c] += x[d];
	x[b] = turn(x[b] ^ x[c], 12);
	x[a] += x[b];
	x[d] = turn(x[d] ^ x[a], 8);
	x[c] += x[d];
	x[b] = turn(x[b] ^ x[c], 7);
}

static void chacha20_block(const unsigned char key[32], uint32_t counter,
			   const unsigned char nonce[12], unsigned char to[64])
{
	uint32_t begin[16] = { 0x61707865, 0x3320646e, 0x79622d32, 0x6b206574 }, x[16];

	for (size_t i = 0; i < 8; i++)
		begin[4 + i] = load(key + 4 * i);
	begin[12] = counter;
	for (size_t i = 0; i < 3; i++)
		begin[13 + i] = load(nonce + 4 * i);
	memcpy(x, begin, sizeof x);
	for (int round = 0; round < 20; round += 2) {
		for (size_t i = 0; i < 4; i++)
			quarter(x, i, 4 + i, 8 + i, 12 + i);
		for (size_t i = 0; i < 4; i++)
			quarter(x, i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
	}
	for (size_t i = 0; i < 16; i++)
		store(to + 4 * i, x[i] + begin[i]);
}

void safe_chacha20(const unsigned char *input, void *unused)
{
	static const unsigned char nonce[12] = { 0 };
	unsigned char block[64];

	(void)unused;
	chacha20_block(input, 1, nonce, block);
	result = load(block);
}

/* Numbers of 130 bits are five limbs of 26. */
#define LIMBS 5
#define LIMB UINT32_C(0x3ffffff)

static void limbs_of(const unsigned char bytes[16], uint32_t limbs[LIMBS])
{
	for (size_t i = 0; i < LIMBS - 1; i++)
		limbs[i] = load(bytes + 3 * i) >> 2 * i & LIMB;
	limbs[LIMBS - 1] = load(bytes + 12) >> 8;
}

/* h = h * r modulo 2 to the power of 130, less 5. */
static void poly1305_multiply(uint32_t h[LIMBS], const uint32_t r[LIMBS])
{
	uint64_t sums[LIMBS] = { 0 }, carry = 0;

	for (size_t i = 0; i < LIMBS; i++) {
		for (size_t j = 0; j <= i; j++)
			sums[i] += (uint64_t)h[j] * r[i - j];
		for (size_t j = i + 1; j < LIMBS; j++)
			sums[i] += (uint64_t)h[j] * (5 * r[LIMBS + i - j]);
	}
	for (size_t i = 0; i < LIMBS; i++) {
		sums[i] += carry;
		h[i] = (uint32_t)(sums[i] & LIMB);
		carry = sums[i] >> 26;
	}
	carry = h[0] + carry * 5;
	h[0] = (uint32_t)(carry & LIMB);
	h[1] += (uint32_t)(carry >> 26);
}

static void poly1305_carry(uint32_t h[LIMBS])
{
	for (size_t i = 0; i < LIMBS - 1; i++) {
		h[i + 1] += h[i] >> 26;
		h[i] &= LIMB;
	}
	h[0] += 5 * (h[LIMBS - 1] >> 26);
	h[LIMBS - 1] &= LIMB;
}

/* h modulo the prime, plus the second half of the key. */
static void poly1305_end(uint32_t h[LIMBS], const unsigned char half[16], unsigned char tag[16])
{
	uint32_t less[LIMBS], mask;
	uint64_t sum = 0;

	poly1305_carry(h);
	poly1305_carry(h);
	poly1305_carry(h);
	memcpy(less, h, sizeof less);
	less[0] += 5;
	for (size_t i = 0; i < LIMBS - 1; i++) {
		less[i + 1] += less[i] >> 26;
		less[i] &= LIMB;
	}
	/* Is h the prime or more, then h + 5 has the bit of 2 to the power of 130. */
	mask = leaks_hide(0 - (less[LIMBS - 1] >> 26));
	less[LIMBS - 1] &= LIMB;
	for (size_t i = 0; i < LIMBS; i++)
		h[i] = (h[i] & ~mask) | (less[i] & mask);
	for (size_t i = 0; i < 4; i++) {
		const uint32_t word = h[i] >> 6 * i | h[i + 1] << (26 - 6 * i);

		sum = (sum >> 32) + word + load(half + 4 * i);
		store(tag + 4 * i, (uint32_t)(sum & UINT32_MAX));
	}
}

static void poly1305(const unsigned char key[32], const unsigned char *message, size_t n,
		     unsigned char tag[16])
{
	uint32_t h[LIMBS] = { 0 }, r[LIMBS], limbs[LIMBS];
	unsigned char clamped[16];

	memcpy(clamped, key, sizeof clamped);
	for (size_t i = 0; i < 16; i++)
		clamped[i] &= i % 4 == 3 ? 15 : i % 4 == 0 && i > 0 ? 252 : 255;
	limbs_of(clamped, r);
	for (size_t done = 0; done < n; done += 16) {
		const size_t left = n - done < 16 ? n - done : 16;
		unsigned char block[17] = { 0 };

		memcpy(block, message + done, left);
		block[left] = 1;
		limbs_of(block, limbs);
		limbs[LIMBS - 1] |= (uint32_t)block[16] << 24;
		for (size_t i = 0; i < LIMBS; i++)
			h[i] += limbs[i];
		poly1305_multiply(h, r);
	}
	poly1305_end(h, key + 16, tag);
}

void safe_poly1305(const unsigned char *input, void *unused)
{
	static const unsigned char message[64] = "A message of four blocks, the same for each key";
	unsigned char tag[16];

	(void)unused;
	poly1305(input, message, sizeof message, tag);
	result = load(tag);
}

/* Elements of the field of X25519: 16 limbs of 16 bits, which may be larger or negative for a
 * while. After TweetNaCl (D. J. Bernstein and others, 2014). */
#define PARTS 16
typedef int64_t element[PARTS];

static void element_carry(element a)
{
	for (size_t i = 0; i < PARTS; i++) {
		int64_t carry;

		a[i] += 65536;
		carry = a[i] >> 16;
		a[i] -= carry * 65536;
		if (i + 1 < PARTS)
			a[i + 1] += carry - 1;
		else
			a[0] += 38 * (carry - 1);
	}
}

static void element_add(element to, const element a, const element b)
{
	for (size_t i = 0; i < PARTS; i++)
		to[i] = a[i] + b[i];
}

static void element_subtract(element to, const element a, const element b)
{
	for (size_t i = 0; i < PARTS; i++)
		to[i] = a[i] - b[i];
}

static void element_multiply(element to, const element a, const element b)
{
	int64_t product[2 * PARTS - 1] = { 0 };

	for (size_t i = 0; i < PARTS; i++)
		for (size_t j = 0; j < PARTS; j++)
			product[i + j] += a[i] * b[j];
	for (size_t i = 0; i < PARTS - 1; i++)
		product[i] += 38 * product[i + PARTS];
	memcpy(to, product, sizeof(element));
	element_carry(to);
	element_carry(to);
}

static void element_swap(element a, element b, uint32_t bit)
{
	const int64_t mask = -(int64_t)leaks_hide(bit & 1);

	for (size_t i = 0; i < PARTS; i++) {
		const int64_t swap = mask & (a[i] ^ b[i]);

		a[i] ^= swap;
		b[i] ^= swap;
	}
}

static void element_load(element to, const unsigned char bytes[32])
{
	for (size_t i = 0; i < PARTS; i++)
		to[i] = bytes[2 * i] + 256 * bytes[2 * i + 1];
	to[PARTS - 1] &= 0x7fff;
}

static void element_store(unsigned char bytes[32], const element from)
{
	element a, less;

	memcpy(a, from, sizeof a);
	for (int i = 0; i < 3; i++)
		element_carry(a);
	for (int round = 0; round < 2; round++) {
		less[0] = a[0] - 0xffed;
		for (size_t i = 1; i < PARTS; i++) {
			less[i] =
				a[i] - (i + 1 < PARTS ? 0xffff : 0x7fff) - (less[i - 1] >> 16 & 1);
			less[i - 1] &= 0xffff;
		}
		element_swap(a, less, (uint32_t)(~(less[PARTS - 1] >> 16) & 1));
	}
	for (size_t i = 0; i < PARTS; i++) {
		bytes[2 * i] = (unsigned char)(a[i] & 0xff);
		bytes[2 * i + 1] = (unsigned char)(a[i] >> 8 & 0xff);
	}
}

/* The power of the prime less 2. All bits of that are set but 2 and 4. */
static void element_invert(element to, const element from)
{
	element power;

	memcpy(power, from, sizeof power);
	for (int bit = 253; bit >= 0; bit--) {
		element_multiply(power, power, power);
		if (bit != 2 && bit != 4)
			element_multiply(power, power, from);
	}
	memcpy(to, power, sizeof power);
}

/* One step of the ladder on the curve: twice one point, and the sum of both. */
static void x25519_step(element a, element b, element c, element d, const element x)
{
	static const element of_curve = { 0xdb41, 1 };
	element e, f;

	element_add(e, a, c);
	element_subtract(a, a, c);
	element_add(c, b, d);
	element_subtract(b, b, d);
	element_multiply(d, e, e);
	element_multiply(f, a, a);
	element_multiply(a, c, a);
	element_multiply(c, b, e);
	element_add(e, a, c);
	element_subtract(a, a, c);
	element_multiply(b, a, a);
	element_subtract(c, d, f);
	element_multiply(a, c, of_curve);
	element_add(a, a, d);
	element_multiply(c, c, a);
	element_multiply(a, d, f);
	element_multiply(d, b, x);
	element_multiply(b, e, e);
}

static void x25519(unsigned char to[32], const unsigned char scalar[32],
		   const unsigned char point[32])
{
	element a = { 1 }, b, c = { 0 }, d = { 1 }, x;

	element_load(x, point);
	memcpy(b, x, sizeof b);
	for (int bit = 254; bit >= 0; bit--) {
		/* The last bit but one of all 256 is set, and the first three are not. */
		const uint32_t set = bit == 254 ? 1 :
				     bit < 3    ? 0 :
						  (uint32_t)scalar[bit / 8] >> bit % 8;

		element_swap(a, b, set);
		element_swap(c, d, set);
		x25519_step(a, b, c, d, x);
		element_swap(a, b, set);
		element_swap(c, d, set);
	}
	element_invert(c, c);
	element_multiply(a, a, c);
	element_store(to, a);
}

void safe_multiply(const unsigned char *input, void *unused)
{
	element a, b;

	(void)unused;
	element_load(a, input);
	element_load(b, input + 32);
	element_multiply(a, a, b);
	result = (uint32_t)(a[0] ^ a[PARTS - 1]);
}

static int check_chacha20(void)
{
	static const unsigned char nonce[12] = { 0, 0, 0, 9, 0, 0, 0, 0x4a };
	static const unsigned char expected[64] = {
		0x10, 0xf1, 0xe7, 0xe4, 0xd1, 0x3b, 0x59, 0x15, 0x50, 0x0f, 0xdd, 0x1f, 0xa3,
		0x20, 0x71, 0xc4, 0xc7, 0xd1, 0xf4, 0xc7, 0x33, 0xc0, 0x68, 0x03, 0x04, 0x22,
		0xaa, 0x9a, 0xc3, 0xd4, 0x6c, 0x4e, 0xd2, 0x82, 0x64, 0x46, 0x07, 0x9f, 0xaa,
		0x09, 0x14, 0xc2, 0xd7, 0x05, 0xd9, 0x8b, 0x02, 0xa2, 0xb5, 0x12, 0x9c, 0xd1,
		0xde, 0x16, 0x4e, 0xb9, 0xcb, 0xd0, 0x83, 0xe8, 0xa2, 0x50, 0x3c, 0x4e,
	};
	unsigned char key[32], block[64];

	for (size_t i = 0; i < sizeof key; i++)
		key[i] = (unsigned char)i;
	chacha20_block(key, 1, nonce, block);
	return memcmp(block, expected, sizeof block);
}

static int check_poly1305(void)
{
	static const unsigned char key[32] = {
		0x85, 0xd6, 0xbe, 0x78, 0x57, 0x55, 0x6d, 0x33, 0x7f, 0x44, 0x52,
		0xfe, 0x42, 0xd5, 0x06, 0xa8, 0x01, 0x03, 0x80, 0x8a, 0xfb, 0x0d,
		0xb2, 0xfd, 0x4a, 0xbf, 0xf6, 0xaf, 0x41, 0x49, 0xf5, 0x1b,
	};
	static const unsigned char expected[16] = {
		0xa8, 0x06, 0x1d, 0xc1, 0x30, 0x51, 0x36, 0xc6,
		0xc2, 0x2b, 0x8b, 0xaf, 0x0c, 0x01, 0x27, 0xa9,
	};
	static const unsigned char message[] = "Cryptographic Forum Research Group";
	unsigned char tag[16];

	poly1305(key, message, sizeof message - 1, tag);
	return memcmp(tag, expected, sizeof tag);
}

static int check_x25519(void)
{
	static const unsigned char scalar[32] = {
		0xa5, 0x46, 0xe3, 0x6b, 0xf0, 0x52, 0x7c, 0x9d, 0x3b, 0x16, 0x15,
		0x4b, 0x82, 0x46, 0x5e, 0xdd, 0x62, 0x14, 0x4c, 0x0a, 0xc1, 0xfc,
		0x5a, 0x18, 0x50, 0x6a, 0x22, 0x44, 0xba, 0x44, 0x9a, 0xc4,
	};
	static const unsigned char point[32] = {
		0xe6, 0xdb, 0x68, 0x67, 0x58, 0x30, 0x30, 0xdb, 0x35, 0x94, 0xc1,
		0xa4, 0x24, 0xb1, 0x5f, 0x7c, 0x72, 0x66, 0x24, 0xec, 0x26, 0xb3,
		0x35, 0x3b, 0x10, 0xa9, 0x03, 0xa6, 0xd0, 0xab, 0x1c, 0x4c,
	};
	static const unsigned char expected[32] = {
		0xc3, 0xda, 0x55, 0x37, 0x9d, 0xe9, 0xc6, 0x90, 0x8e, 0x94, 0xea,
		0x4d, 0xf2, 0x8d, 0x08, 0x4f, 0x32, 0xec, 0xcf, 0x03, 0x49, 0x1c,
		0x71, 0xf7, 0x54, 0xb4, 0x07, 0x55, 0x77, 0xa2, 0x85, 0x52,
	};
	unsigned char shared[32];

	x25519(shared, scalar, point);
	return memcmp(shared, expected, sizeof shared);
}

/* The test vectors of RFC 8439, 2.3.2 and 2.5.2, and of RFC 7748, 5.2. */
const char *leaks_check_ciphers(void)
{
	if (check_chacha20())
		return "ChaCha20";
	if (check_poly1305())
		return "Poly1305";
	return check_x25519() ? "X25519" : NULL;
}
