/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A machine's full identity: hashes of everything that may change which counters work, or how well.
 * Each part that a sysadmin can recognise has a hash of its own, so that the calibrator can say
 * which of them changed. It takes milliseconds, so only the calibrator computes it. */

#ifndef CPUCYCLES_FINGERPRINT_H
#define CPUCYCLES_FINGERPRINT_H

#include "cache.h"

#include <stddef.h>

/* Enough for the first processor's block of /proc/cpuinfo. */
#define FINGERPRINT_CPUINFO_SIZE 16384

/* cpuinfo: the text of /proc/cpuinfo, which this changes; empty if it cannot be read. root: see
 * tree.h. Everything hashed is logged with --verbose. */
void fingerprint_take(const char *root, char cpuinfo[FINGERPRINT_CPUINFO_SIZE],
		      char fingerprint[CACHE_FINGERPRINT_SIZE]);

#define FINGERPRINT_CHANGES_SIZE (MACHINE_IDENTITY_SIZE + 2 * CACHE_FINGERPRINT_SIZE)

/* Name the parts that differ, with commas between them: of the fingerprint, and "machine" for the
 * cheap identity. Two fingerprints that differ in no part that can be named give "fingerprint".
 * False: both are the same. Pure. */
bool fingerprint_changes(const struct cache *old, const struct cache *new,
			 char text[FINGERPRINT_CHANGES_SIZE]);

/* Cut the text of /proc/cpuinfo, in place, to those lines of the first processor that are the same
 * in each boot: without frequencies and numbers of processors. The new length. Pure. */
size_t fingerprint_stable_cpuinfo(char *text);

#endif
