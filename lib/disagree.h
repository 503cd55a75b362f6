/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Why what is counted is not what the core does: for the calibrator's log and the tools. */

#ifndef CPUCYCLES_DISAGREE_H
#define CPUCYCLES_DISAGREE_H

#include "cache.h"

#include <stdbool.h>

/* Frequencies further apart than this are not the same one. */
#define DISAGREE_PPM 50000

/* Whether they differ by more. An unknown one (0) differs from nothing. */
bool disagree_differ(uint64_t hz, uint64_t core_hz);

/*
 * One sentence with the likely cause where the core's measured frequency differs from
 * the counter's rate (0 Hz: not measured, or it counts core cycles) or from persecond.
 * NULL if neither does. Of the cache it looks at persecond, core and facts. Pure.
 */
const char *disagree_sentence(const struct cache *cache, struct rate counter);

#endif
