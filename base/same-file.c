/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "same-file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_one(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static const char *name_in(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool find_folder(const char *path, struct stat *status)
{
	const size_t length = (size_t)(name_in(path) - path);
	char folder[PATH_MAX];

	if (length + 2 > sizeof folder)
		return false;
	snprintf(folder, sizeof folder, "%.*s.", (int)length, path);
	return !stat(folder, status);
}

bool same_file(const char *a, const char *b)
{
	struct stat status_a, status_b;
	const bool is_a = !stat(a, &status_a), is_b = !stat(b, &status_b);

	if (is_a || is_b)
		return is_a && is_b && is_one(&status_a, &status_b);
	if (!strcmp(a, b))
		return true;
	return !strcmp(name_in(a), name_in(b)) && find_folder(a, &status_a) &&
	       find_folder(b, &status_b) && is_one(&status_a, &status_b);
}
