/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A machine's full identity: everything that may change which counters work, or
 * how well. Costs milliseconds: for the calibrator only. */

#ifndef CPUCYCLES_FINGERPRINT_H
#define CPUCYCLES_FINGERPRINT_H

#include "cache.h"

#include <stddef.h>

/* root: "" but in tests. Each fact is logged with --verbose. */
void fingerprint_take(const char *root, char fingerprint[CACHE_FINGERPRINT_SIZE]);

/* The part of a processor's block in /proc/cpuinfo that stays from boot to boot:
 * without the lines of frequencies and numbers. Pure; works in place. */
size_t fingerprint_stable_cpuinfo(char *text);

#endif
