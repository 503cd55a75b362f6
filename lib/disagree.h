/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Why counter, persecond and the core's own frequency differ. For the calibrator's log and the
 * tools; the library does not need it. */

#ifndef CPUCYCLES_DISAGREE_H
#define CPUCYCLES_DISAGREE_H

#include "cache.h"

#include <stdbool.h>

/* Two frequencies that are further apart than this differ. */
#define DISAGREE_PPM 50000

/* Whether they differ. An unknown frequency (0) differs from none. */
bool disagree_differ(uint64_t hz, uint64_t core_hz);

/*
 * If the core's measured frequency differs from the counter's rate or from persecond: one sentence
 * with the likely cause. NULL if it differs from neither. counter: 0 Hz if the rate was not
 * measured, or if the counter counts core cycles. Looks at the cache's persecond, core and facts.
 * Pure.
 */
const char *disagree_sentence(const struct cache *cache, struct rate counter);

#endif
