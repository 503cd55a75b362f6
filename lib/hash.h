/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A hash of 64 bits that finds damage and tells texts apart. It is FNV-1a made fast for a first
 * call, which waits for it: eight bytes at a time, and four hashes side by side, because a
 * multiplication waits for the one before it. It is no protection against forgery.
 * cpucycles-cache(5) describes it. */

#ifndef CPUCYCLES_HASH_H
#define CPUCYCLES_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xcbf29ce484222325)

#define HASH_PIECE 1024 /* bytes */

/* The hash after one more word. */
uint64_t hash_step(uint64_t hash, uint64_t word);

/*
 * hash: HASH_START, or the hash of what stands before. Because each step can be undone, two texts
 * of one length that differ in a single word or byte never have the same hash.
 */
uint64_t hash_add(uint64_t hash, const char *text, size_t length);

/* The hash of a text as hash_add makes it of piece after piece, so that not all of a text has to be
 * in memory at once. Each piece but the last has HASH_PIECE bytes. */
uint64_t hash_text(const char *text, size_t length);

#endif
