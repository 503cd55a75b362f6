/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "hash.h"

#define HASH_PRIME UINT64_C(0x100000001b3)

#define HASH_BLOCK 32 /* bytes: a word for each of the four */

/* Little-endian on every machine; compilers make one load of it. */
static inline uint64_t hash_word(const unsigned char *p)
{
	uint64_t low = p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
	uint64_t high = p[4] | (uint64_t)p[5] << 8 | (uint64_t)p[6] << 16 | (uint64_t)p[7] << 24;

	return high << 32 | low;
}

/* The lower bits of a product know nothing of its higher bits, so these are folded in. The step can
 * be undone, from either side: another hash or another word always gives another result. */
uint64_t hash_step(uint64_t hash, uint64_t word)
{
	hash = (hash ^ word) * HASH_PRIME;
	return hash ^ hash >> 32;
}

uint64_t hash_add(uint64_t hash, const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;

	if (length >= HASH_BLOCK) {
		uint64_t a = hash, b = hash, c = hash, d = hash;

		for (; length >= HASH_BLOCK; p += HASH_BLOCK, length -= HASH_BLOCK) {
			a = hash_step(a, hash_word(p));
			b = hash_step(b, hash_word(p + 8));
			c = hash_step(c, hash_word(p + 16));
			d = hash_step(d, hash_word(p + 24));
		}
		hash = hash_step(hash_step(hash_step(a, b), c), d);
	}
	for (; length >= 8; p += 8, length -= 8)
		hash = hash_step(hash, hash_word(p));
	for (; length > 0; p++, length--)
		hash = (hash ^ *p) * HASH_PRIME;
	return hash;
}

uint64_t hash_text(const char *text, size_t length)
{
	uint64_t hash = HASH_START;

	for (; length > HASH_PIECE; text += HASH_PIECE, length -= HASH_PIECE)
		hash = hash_add(hash, text, HASH_PIECE);
	return hash_add(hash, text, length);
}
