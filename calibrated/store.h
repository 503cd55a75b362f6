/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Publishes what a run of the calibrator has found: the cache, and the persecond file. */

#ifndef CPUCYCLES_STORE_H
#define CPUCYCLES_STORE_H

#include "known.h"
#include "publish.h"

struct store {
	const struct known *known;
	const struct cache *new;
};

/* Whether the cache may be put in this place, which is open. options: struct calibrate_options. 0,
 * or a negative errno: -EEXIST if something lies there that is no cache. */
int store_may_replace(const struct publish_place *place, const void *options);

/* Say why a run cannot begin. */
enum calibrate_status store_refused(const struct calibrate_options *options, int error);

/* If this fails, a line warns, and the cache is published all the same. */
void store_persecond(const struct store *store);

/* The place of the cache is open and locked. */
enum calibrate_status store_cache(const struct store *store, const struct publish_place *place);

/* Both files on standard output, instead. */
enum calibrate_status store_print(const struct store *store);

#endif
