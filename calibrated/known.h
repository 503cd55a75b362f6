/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a run of the calibrator knows before it measures: the machine, the persecond file, the
 * earlier cache, and the frequency that the library would find without a cache. */

#ifndef CPUCYCLES_KNOWN_H
#define CPUCYCLES_KNOWN_H

#include "cache.h"
#include "calibrate.h"
#include "core.h"
#include "persecond.h"

struct known {
	const struct calibrate_options *options;
	/* The run is for another cache than that of all programs, but with the frequency's file of
	 * all programs. It takes the number that this file has in this boot, as all programs do,
	 * and does not write the file: with another number, the caches that were made for it would
	 * be stale. */
	bool is_guest;
	struct persecond_file file; /* as it was when the run began, and its text */
	char file_text[PERSECOND_TEXT_SIZE];
	struct cache old;          /* library[0] is 0 if there is none, or none to be trusted */
	unsigned old_wrong_line;   /* of an old cache that is malformed, else 0 */
	struct persecond estimate; /* as the library would find it without a cache */
	struct core_kind kinds[CORE_KINDS_MAX];
	size_t kinds_n;
};

/* This boot's id. Without it nothing can be published: no library would trust the cache, and every
 * later run would take our persecond file for the sysadmin's. False: a line says why. */
bool known_boot(const struct calibrate_options *options, struct cache *new);

/* All that is known, and what of it a cache has. The caller holds the guard, installed. */
void known_read(struct known *known, struct cache *new);

/* Whether the old cache is of this machine and for this frequency. If not, a line says why. */
bool known_same_machine(const struct known *known, const struct cache *new);

/* Whether somebody else wrote the persecond file: it is obeyed and never overwritten. A file that
 * is not read may be the sysadmin's. */
bool known_is_sysadmins(const struct persecond_file *file);

#endif
