/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The parts of a path. Unlike basename(3) and dirname(3), no slash at the end is dropped: to the
 * system calls, "file/" is not the file. */

#ifndef CPUCYCLES_PATH_H
#define CPUCYCLES_PATH_H

#include <string.h>

/* What stands after the last slash, or the whole path. Empty if a slash is the last character. */
static inline const char *path_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Make the path that of its folder: "a" becomes ".", "a//b" becomes "a", and "/a" becomes "/". The
 * buffer holds 2 characters at least. */
static inline void path_cut(char *path)
{
	size_t length = (size_t)(path_name(path) - path);

	while (length > 1 && path[length - 1] == '/')
		length--;
	if (length == 0)
		path[length++] = '.';
	path[length] = 0;
}

#endif
