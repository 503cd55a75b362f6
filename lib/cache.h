/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The file of the cache of ranked counters: whether a process may trust it, and whether it is for
 * this boot, this machine and this frequency. cache-format.h reads and writes its text. */

#ifndef CPUCYCLES_CACHE_H
#define CPUCYCLES_CACHE_H

#include "cache-format.h"

#include <stdbool.h>

/* Why a cache is not used; the names are part of the API. */
enum cache_status {
	CACHE_USED,
	CACHE_MISSING,
	CACHE_STALE_BOOT,
	CACHE_STALE_MACHINE,
	CACHE_STALE_PERSECOND,
	CACHE_UNTRUSTED,
	CACHE_MALFORMED,
	CACHE_NO_COUNTER,
	CACHE_DISABLED,
	CACHE_STATUSES
};

const char *cache_status_name(enum cache_status status);

/* Which files a process looks at. */
struct cache_context {
	const char *path;
	bool own; /* the caller named the file, so one that the caller owns is trusted too */
	const char *persecond_path; /* the persecond file */
};

/* The answer to everything that can be checked before a counter is tried. */
struct cache_verdict {
	enum cache_status status; /* CACHE_USED: all of it holds */
	unsigned line;            /* the first wrong line of a malformed cache, else 0 */
	int error;                /* a negative errno where a call failed, else 0 */
};

/*
 * Read and check all of the cache, for the programs. Where the whole text is well formed, it is in
 * *cache, even if it is stale; else cache->library[0] is 0. Call it under the guard: looking at a
 * file may fault in a sandbox.
 */
struct cache_verdict cache_load(const struct cache_context *context, struct cache *cache);

/*
 * The same for a first call, which has no time to read lines that it does not need: CACHE_USED says
 * nothing of the lines of the counters, which the caller takes one after another with
 * cache_parse_usable. Of a text beyond 4 KB these are the lines within its first 3 KB. *header is
 * what cache_parse_header makes of it. The text stays in memory until the next call of this or of
 * cache_load.
 */
enum cache_status cache_open(const struct cache_context *context, struct cache *header,
			     struct cache_reader *reader);

#endif
