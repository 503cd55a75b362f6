/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A machine's full identity: a hash of everything that may change which counters work, or how
 * well. It takes milliseconds, so only the calibrator computes it. */

#ifndef CPUCYCLES_FINGERPRINT_H
#define CPUCYCLES_FINGERPRINT_H

#include "cache.h"

#include <stddef.h>

/* root: "", in tests a folder with files in its place. Everything hashed is logged with
 * --verbose. */
void fingerprint_take(const char *root, char fingerprint[CACHE_FINGERPRINT_SIZE]);

/* Cut the text of /proc/cpuinfo, in place, to those lines of the first processor that are the same
 * in each boot: without frequencies and numbers of processors. The new length. Pure. */
size_t fingerprint_stable_cpuinfo(char *text);

#endif
