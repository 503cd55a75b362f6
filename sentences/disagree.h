/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Why counter, persecond and the core's own frequency differ, in one sentence. For the calibrator's
 * log and the tools; the library does not need it. Pure. */

#ifndef CPUCYCLES_DISAGREE_H
#define CPUCYCLES_DISAGREE_H

#include "cache.h"

#include <stdbool.h>

/* Two frequencies that are further apart than this differ. */
#define DISAGREE_PPM 50000

/* Whether they differ. An unknown frequency (0) differs from none. */
bool disagree_differ(uint64_t hz, uint64_t core_hz);

/*
 * One sentence on the frequency that is the odd one out of three: persecond, the counter's measured
 * rate and the core's measured frequency. NULL if those that are known agree. counter: the one in
 * use, as the cache has it; NULL if none is. Looks at the cache's persecond, core and facts.
 */
const char *disagree_sentence(const struct cache *cache, const struct candidate *counter);

/* Why the time-stamp counter does not run at a fixed rate, by the fact FACT_TSC. NULL: nothing is
 * known against a fixed rate. */
const char *disagree_unsteady(const char *tsc);

#endif
