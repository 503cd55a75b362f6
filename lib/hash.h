/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* FNV-1a with 64 bits, made to take eight bytes at a time, because a first call waits for it:
 * against damage and for telling apart, not against forgery. cpucycles-cache(5) describes it. */

#ifndef CPUCYCLES_HASH_H
#define CPUCYCLES_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

#define HASH_PRIME UINT64_C(0x100000001b3)

/* Little-endian on every machine; compilers make one load of it. */
static inline uint64_t hash_word(const unsigned char *p)
{
	uint64_t low = p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24;
	uint64_t high = p[4] | (uint64_t)p[5] << 8 | (uint64_t)p[6] << 16 | (uint64_t)p[7] << 24;

	return high << 32 | low;
}

/*
 * hash: HASH_START, or what came out for the text before. A product has nothing of its higher bits in the
 * lower ones, so after a word of eight bytes they are folded in. Each step can be undone: two texts
 * that differ in one word or byte only never have one hash.
 */
static inline uint64_t hash_add(uint64_t hash, const char *text, size_t length)
{
	const unsigned char *p = (const unsigned char *)text;

	for (; length >= 8; p += 8, length -= 8) {
		hash = (hash ^ hash_word(p)) * HASH_PRIME;
		hash ^= hash >> 32;
	}
	for (; length > 0; p++, length--)
		hash = (hash ^ *p) * HASH_PRIME;
	return hash;
}

#endif
