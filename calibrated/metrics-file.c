/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "log.h"
#include "metrics-file.h"
#include "metrics.h"
#include "publish.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Collectors read files with this ending only. */
#define ENDING ".prom"

bool metrics_file_is_name(const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	const size_t length = strlen(name), ending = strlen(ENDING);

	/* A hidden file is one that somebody is still writing. */
	return length > ending && name[0] != '.' && !strcmp(name + length - ending, ENDING);
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

/* 0 or a negative errno. A folder that is a symbolic link is refused: on Debian, the parent of the
 * collector's folder belongs to an ordinary user, who could let root write elsewhere. */
static int publish(const char *path, unsigned wait_s, const char *text, size_t length)
{
	struct publish_place place;
	const int error = publish_open(path, PUBLISH_NO_LINK, &place);

	if (error)
		return error;
	place.wait_ms = wait_s * 1000;
	return publish_alone(&place, text, length);
}

bool metrics_file_publish(const char *path, const char *cache_path, unsigned wait_s)
{
	static struct inspection inspection;
	static char text[METRICS_SIZE];
	struct metrics_setting setting;
	size_t length;
	int error;

	prepare_environment(cache_path);
	if (!metrics_look(&inspection, &setting)) {
		log_line(LOG_ERROR, "%s: not written: the counters cannot be looked at", path);
		return false;
	}
	length = metrics_format(&inspection, &setting, text, sizeof text);
	error = length ? publish(path, wait_s, text, length) : -EFBIG;
	if (error) {
		log_line(LOG_ERROR, "%s: not written: %s", path, strerror(-error));
		return false;
	}
	log_line(LOG_INFO, "%s: written", path);
	return true;
}
