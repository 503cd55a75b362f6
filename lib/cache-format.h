/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The text of the cache of ranked counters: what it holds, how it is written and how it is read.
 * The manual page cpucycles-cache(5) describes it. All of this is pure: bytes in, a structure out,
 * or the reverse. cache.h deals with where the bytes come from, and whether to trust them. */

#ifndef CPUCYCLES_CACHE_FORMAT_H
#define CPUCYCLES_CACHE_FORMAT_H

#include "counters.h"
#include "frequency.h"
#include "machine.h"
#include "selection.h"

#include <stdbool.h>
#include <stddef.h>

/* A longer file is not a cache. */
#define CACHE_SIZE_MAX 8192

/* The caches of all versions of the format begin with this. */
#define CACHE_BEGINNING "cpucycles-cache "

#define CACHE_VERSION_SIZE 32
#define CACHE_FINGERPRINT_SIZE 512

/* Words that say how far to trust a count. */
enum cache_fact {
	FACT_TSC,         /* invariant, unstable, variable, none */
	FACT_CLOCKSOURCE, /* the kernel's, such as tsc */
	FACT_HYPERVISOR,  /* its name, none */
	FACT_GOVERNOR,    /* cpufreq's, none */
	FACT_TURBO,       /* on, off */
	FACT_SMT,         /* on, off */
	FACT_KINDS,       /* kinds of core, a number */
	FACT_SKEW,        /* of the best free-running counter between CPUs, in ns at most */
	FACT_WITNESS, /* the counter of core cycles that measured the core, none: the chain alone */
	FACT_COUNTED, /* Hz by the witness */
	FACT_CHAIN,   /* the core by the chain of instructions alone, in Hz, a number */
	FACT_CHECK,   /* chain and witness: agrees, contradicts; none: there was no witness */
	FACT_SLOWEST, /* the core at the slowest of the moments of a run, in Hz */
	CACHE_FACTS
};

#define CACHE_FACT_SIZE 32

typedef char cache_fact_word[CACHE_FACT_SIZE];

/* The fields before usable are the header: cache_parse_header sets these only. */
struct cache {
	char library[CACHE_VERSION_SIZE]; /* version of the calibrator that wrote it */
	char boot[MACHINE_BOOT_SIZE];
	char machine[MACHINE_IDENTITY_SIZE]; /* cheap identity, compared by the library */
	struct persecond persecond;
	size_t usable; /* number of candidates that work; they come first, in rank order */
	struct candidate candidates[COUNTERS_MAX]; /* counters_count of them */
	/* Full identity, compared by the calibrator: words with one blank between two of them. */
	char fingerprint[CACHE_FINGERPRINT_SIZE];
	struct rate core; /* the core's own measured frequency; 0 Hz: not measured */
	cache_fact_word facts[CACHE_FACTS]; /* an empty one is written as "unknown" */
};

/* "tsc" and so on, as the cache and the tools write it. */
const char *cache_fact_name(enum cache_fact fact);

/* The text of a cache. Its length, or 0 if it does not fit. */
size_t cache_format(const struct cache *cache, char *text, size_t size);

/*
 * Read all of a text, which need not end in a 0. Returns 0, or the number of the first line that is
 * wrong, counted from 1; then cache->library[0] is 0.
 */
unsigned cache_parse(const char *text, size_t length, struct cache *cache);

/*
 * Read a text line by line. A first call needs the first counter that works, and most often that is
 * the first in the text, so the lines after that counter are not looked at. A line is held against
 * the lines before it as cache_parse does: no counter comes twice, and precisions only grow. So
 * what is read here has the rank that cache_parse gives it, or cache_parse finds a later line
 * wrong.
 */
struct cache_reader {
	const char *p, *end;      /* the rest of the text */
	unsigned line;            /* number of the line at p, from 1 */
	uint64_t precision;       /* of the last counter read; the next has no smaller one */
	bool named[COUNTERS_MAX]; /* by index: a line has named the counter */
};

/*
 * Check the checksum of the whole text, read the header, and put the reader before the first
 * counter. In *header, the fields from usable on are not touched. False: the checksum or the header
 * is malformed, and header->library[0] is 0. The text has to stay where it is while the reader is
 * used.
 */
bool cache_parse_header(struct cache_reader *reader, const char *text, size_t length,
			struct cache *header);

/* Bytes in a text's last line: "checksum ", 16 digits, and the end of the line. */
#define CACHE_SEAL_SIZE 26

/*
 * The two steps of cache_parse_header, for a text of which only the start is in memory. hash: what
 * hash_text makes of all before the last line. length: of the start, which ends with a line.
 */
bool cache_is_seal(const char last_line[CACHE_SEAL_SIZE], uint64_t hash);
bool cache_parse_start(struct cache_reader *reader, const char *start, size_t length,
		       struct cache *header);

enum cache_line {
	CACHE_LINE_USABLE, /* *candidate is the next usable counter in rank order */
	CACHE_LINE_NONE,   /* there is none left */
	CACHE_LINE_WRONG   /* the next line is malformed */
};

/* Not to be called again after another answer than CACHE_LINE_USABLE. */
enum cache_line cache_parse_usable(struct cache_reader *reader, struct candidate *candidate);

/* The core's own frequency in Hz, from the rest of the text. 0: it was not measured, or the line is
 * not in memory, or is malformed. */
uint64_t cache_parse_core(const struct cache_reader *reader);

#endif
