/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "path.h"
#include "same-file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool is_one(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Make the path that of its folder. False: it has none above it. */
static bool go_up(char path[PATH_MAX])
{
	const bool has_name = *path_name(path);

	path_cut(path);
	return has_name;
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
	} while (!strcmp(path_name(path_a), path_name(path_b)) && go_up(path_a) && go_up(path_b));
	return false;
}
