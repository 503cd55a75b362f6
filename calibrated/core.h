/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The frequency of the cores themselves, measured with a chain of instructions that take one
 * cycle each, and with a counter of the core's cycles where one works. The caller holds the guard,
 * installed. */

#ifndef CPUCYCLES_CORE_H
#define CPUCYCLES_CORE_H

#include "kinds.h"
#include "rate.h"
#include "selection.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether the chain and a counter of the core's cycles say the same. */
enum core_check {
	CORE_CHECK_NONE, /* one of them is missing */
	CORE_CHECK_AGREES,
	CORE_CHECK_CONTRADICTS
};

/* "none" and so on, as the cache and the tools write it. */
const char *core_check_name(enum core_check check);

/* What two witnesses say of a core's frequency. 0 Hz: unknown. */
struct core_found {
	struct rate chain;   /* by the chain alone, which takes each instruction for one cycle */
	struct rate counted; /* by the witness */
	enum core_check check;
	const struct counter *witness; /* counted the cycles of the chain; NULL: none did */
	size_t batches;                /* of each length */
};

/* In some virtual machines a core is slow for 20 to 75 ms, up to 14 times. So a run measures it at
 * several moments, which are spread over the run. The fastest counts, if another moment agrees with
 * it within CORE_AGREE_PPM. */
#define CORE_MOMENTS 4
#define CORE_AGREE_PPM 100000

/* What the moments of one run have shown of each kind of core. */
struct core_moments {
	size_t n;
	struct core_found found[CORE_KINDS_MAX][CORE_MOMENTS];
};

/* Index of the moment that counts. If no two agree, it is the fastest, because nothing makes a
 * chain of instructions run faster than its core. n is at least 1. Pure. */
size_t core_fastest(const struct core_found found[], size_t n);

/* The slowest known frequency of the moments in Hz; 0 if none is known. Pure. */
uint64_t core_slowest(const struct core_found found[], size_t n);

/* Whether two frequencies of a core, measured at the same time, are the same within their bounds.
 * A chain whose bound says nothing is no check. Pure. */
enum core_check core_check(struct rate chain, struct rate counted);

/* On AMD processors since Zen 2, where APERF can be read, a loop around the chain takes no cycles
 * of its own. There, chain and counter usually are no further apart than this. */
#define CORE_APART_PPM 2000

/* How far apart they are, as millionths of what was counted, rounded down and at most all of
 * them; 0 if one is unknown. Pure. */
uint32_t core_apart_ppm(struct rate chain, struct rate counted);

/*
 * The frequency to publish. The counter knows better, because it does not rely on the time that an
 * instruction takes. If the two exclude one another, the wrong one is unknown, so the bound reaches
 * to both. Then the counter decides only if counts of cycles are what programs get. Emulators are
 * known that let a counter of cycles count their own clock. Pure.
 */
struct rate core_rate(const struct core_found *found, bool counts_in_use);

/* Measure each kind in turn, at one more moment; there were fewer than CORE_MOMENTS. persecond: as
 * far as it is known. */
void core_look(const struct core_kind kinds[], size_t n, uint64_t persecond, uint64_t budget_ns,
	       struct core_moments *moments);

/* The moments of the fastest of n kinds, and the one of them that counts. Pure. */
const struct core_found *core_fastest_kind(size_t n, const struct core_moments *moments);
struct core_found core_choose(size_t n, const struct core_moments *moments);

/* Log what the moments have shown of each kind. */
void core_log(const struct core_kind kinds[], size_t n, const struct core_moments *moments);

#endif
