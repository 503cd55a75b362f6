/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "inspect.h"
#include "log.h"
#include "store.h"
#include "streams.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* If not, a line says why. */
static bool may_write_persecond(const struct store *store, const struct persecond_file *now)
{
	const char *path = store->known->options->persecond_path;

	if (now->flaw == FLAW_ELSEWHERE) {
		log_line(LOG_INFO, "%s: perhaps the sysadmin's: not written", path);
		return false;
	}
	if (known_is_sysadmins(now)) {
		log_line(LOG_INFO, "%s: the sysadmin's: not written", path);
		return false;
	}
	if (store->known->is_guest) {
		log_line(LOG_INFO, "%s: not written: this run is for another cache only", path);
		return false;
	}
	if (!frequency_is_machines(store->new->persecond.source)) {
		log_line(LOG_WARNING, "%s: not written: nobody knows the frequency", path);
		return false;
	}
	return true;
}

/* Asked once more just before the rename, because writing to the disk takes time in which the
 * sysadmin may have put a file there. */
static int is_still_ours(const struct publish_place *place, const void *path)
{
	struct persecond_file now;

	(void)place;
	persecond_look(path, &now, NULL);
	return known_is_sysadmins(&now) ? -ECANCELED : 0;
}

/* The place is open and locked. -ECANCELED: the file is not to be written. */
static int write_persecond(const struct publish_place *place, const void *argument)
{
	const struct store *store = argument;
	const char *path = store->known->options->persecond_path;
	struct persecond_file now;
	char text[PERSECOND_TEXT_SIZE];
	size_t length;
	int error;

	persecond_look(path, &now, NULL);
	if (!may_write_persecond(store, &now)) {
		/* The number of an earlier run would contradict the cache of this one, which knows
		 * no frequency. */
		if (now.ours && unlink(path))
			log_line(LOG_WARNING, "%s: not removed: %s", path, strerror(errno));
		error = publish_clean(place);
		return error ? error : -ECANCELED;
	}
	length = persecond_format(&store->new->persecond, store->new->boot, text, sizeof text);
	return publish_text(place, now.exists, text, length, is_still_ours, path);
}

/* What a user needs who may not write the cache that no option has named. The frequency's file of
 * all programs is root's to write. */
static const char *advice(const struct calibrate_options *options, int error)
{
	if ((error != -EACCES && error != -EPERM) || geteuid() == 0 ||
	    strcmp(options->cache_path, CACHE_PATH))
		return "";
	return ": run it as root, or name another file: -c FILE";
}

static const char *why(int error)
{
	return error == -ETIMEDOUT ? CALIBRATE_HELD : strerror(-error);
}

static const char *why_no_cache(int error)
{
	if (error == -EEXIST)
		return "this is no cache, so it is not replaced: remove it, or name another file";
	return why(error);
}

void store_persecond(const struct store *store)
{
	const char *path = store->known->options->persecond_path;
	struct publish_place place;
	int error;

	if (store->known->is_guest) {
		may_write_persecond(store, &store->known->file);
		return;
	}
	error = publish_open(path, 0, &place);
	place.wait_ms = store->known->options->wait_s * 1000;
	/* Calibrators of other caches write this file too, so it has a lock of its own. */
	if (!error)
		error = publish_alone(&place, write_persecond, store);
	if (!error)
		log_line(LOG_INFO, "%s: written", path);
	else if (error != -ECANCELED)
		log_line(LOG_WARNING, "%s: not written: %s", path, why(error));
}

int store_may_replace(const struct publish_place *place, const void *options)
{
	const struct calibrate_options *o = options;

	return inspect_may_replace(o->cache_path, place->folder, place->name);
}

enum calibrate_status store_cache(const struct store *store, const struct publish_place *place)
{
	const struct calibrate_options *options = store->known->options;
	char text[CACHE_SIZE_MAX];
	size_t length = cache_format(store->new, text, sizeof text);
	int error = length ? publish_text(place, true, text, length, store_may_replace, options) :
			     -EFBIG;

	if (error) {
		log_line(LOG_ERROR, "%s: not written: %s", options->cache_path,
			 why_no_cache(error));
		return CALIBRATE_FAILED;
	}
	log_line(LOG_INFO, "%s: written", options->cache_path);
	return CALIBRATE_OK;
}

enum calibrate_status store_print(const struct store *store)
{
	char text[CACHE_SIZE_MAX];
	size_t length = cache_format(store->new, text, sizeof text);

	fwrite(text, 1, length, stdout);
	if (may_write_persecond(store, &store->known->file)) {
		length = persecond_format(&store->new->persecond, store->new->boot, text,
					  sizeof text);
		fwrite(text, 1, length, stdout);
	}
	return streams_written() ? CALIBRATE_OK : CALIBRATE_FAILED;
}

enum calibrate_status store_refused(const struct calibrate_options *options, int error)
{
	const char *path = options->cache_path;

	log_line(LOG_ERROR, "%s: %s%s", path, why_no_cache(error), advice(options, error));
	return error == -ETIMEDOUT ? CALIBRATE_LOCKED : CALIBRATE_FAILED;
}
