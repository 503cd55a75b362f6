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

/* Make the path that of its folder. False: it has none above it. */
static bool cut_name(char path[PATH_MAX])
{
	size_t length = (size_t)(name_in(path) - path);
	const bool is_cut = length != strlen(path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	if (length == 0)
		strcpy(path, ".");
	else
		path[length] = 0;
	return is_cut;
}

bool same_file(const char *a, const char *b)
{
	char path_a[PATH_MAX], path_b[PATH_MAX];

	if (strlen(a) >= PATH_MAX || strlen(b) >= PATH_MAX)
		return !strcmp(a, b);
	strcpy(path_a, a);
	strcpy(path_b, b);
	/* A folder that is missing, too, is compared by its own folder. */
	do {
		struct stat status_a, status_b;
		const bool is_a = !stat(path_a, &status_a), is_b = !stat(path_b, &status_b);

		if (is_a || is_b)
			return is_a && is_b && is_one(&status_a, &status_b);
		if (!strcmp(path_a, path_b))
			return true;
	} while (!strcmp(name_in(path_a), name_in(path_b)) && cut_name(path_a) && cut_name(path_b));
	return false;
}
