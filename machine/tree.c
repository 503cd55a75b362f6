/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "tree.h"

#include <errno.h>
#include <string.h>

#define PATH_SIZE 512

long tree_read(const char *root, const char *path, char *text, size_t size)
{
	const size_t root_length = strlen(root), length = strlen(path);
	char whole[PATH_SIZE];

	text[0] = 0;
	if (root_length + length >= PATH_SIZE)
		return -ENAMETOOLONG;
	memcpy(whole, root, root_length);
	memcpy(whole + root_length, path, length + 1);
	return file_fill_once(file_open(whole, 0), text, size);
}
