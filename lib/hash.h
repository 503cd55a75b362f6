/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* FNV-1a, 64 bits: against damage and for telling apart, not against forgery. */

#ifndef CPUCYCLES_HASH_H
#define CPUCYCLES_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

/* hash: HASH_START, or what came out for the text before. */
static inline uint64_t hash_add(uint64_t hash, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
	return hash;
}

#endif
