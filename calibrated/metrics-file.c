/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "calibrate.h"
#include "guard.h"
#include "log.h"
#include "metrics-file.h"
#include "metrics.h"
#include "path.h"
#include "publish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Collectors read files with this ending only. */
#define ENDING ".prom"

bool metrics_file_is_name(const char *path)
{
	const char *name = path_name(path);
	const size_t length = strlen(name), ending = strlen(ENDING);

	return length > ending && !strcmp(name + length - ending, ENDING);
}

/* The metrics say what all programs find. So the library shall not heed what whoever started this
 * program has in the environment for this program alone. */
static void prepare_environment(const char *cache_path)
{
	unsetenv("CPUCYCLES_COUNTER");
	unsetenv("cpucyclespersecond");
	if (strcmp(cache_path, CACHE_PATH))
		setenv("CPUCYCLES_CACHE", cache_path, 1);
	else
		unsetenv("CPUCYCLES_CACHE");
}

/* 0 or a negative errno; -ENODATA: the counters cannot be looked at. */
static int look_and_publish(const struct publish_place *place, const void *unused)
{
	static struct inspection inspection;
	static char text[METRICS_SIZE];
	struct metrics_setting setting;
	size_t length;

	(void)unused;
	if (!metrics_look(&inspection, &setting))
		return -ENODATA;
	length = metrics_format(&inspection, &setting, text, sizeof text);
	return length ? publish_text(place, true, text, length, NULL, NULL) : -EFBIG;
}

static const char *why(int error)
{
	switch (error) {
	case -ENODATA:
		return "the counters cannot be looked at: " GUARD_REFUSED;
	case -ETIMEDOUT:
		return CALIBRATE_HELD;
	case -ENOTDIR:
		return "its folder is a symbolic link, or no folder";
	default:
		return strerror(-error);
	}
}

bool metrics_file_publish(const char *path, const char *cache_path, unsigned wait_s)
{
	struct publish_place place;
	/* A folder that is a symbolic link is refused: on Debian, the parent of the collector's
	 * folder belongs to an ordinary user, who could let root write elsewhere. */
	int error = publish_open(path, PUBLISH_NO_LINK, &place);

	prepare_environment(cache_path);
	place.wait_ms = wait_s * 1000;
	/* The look comes after the lock: otherwise a run that has waited would publish what it saw
	 * before the other one. */
	if (!error)
		error = publish_alone(&place, look_and_publish, NULL);
	if (error) {
		log_line(LOG_ERROR, "%s: not written: %s", path, why(error));
		return false;
	}
	log_line(LOG_INFO, "%s: written", path);
	return true;
}
