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
	char whole[PATH_SIZE];

	text[0] = 0;
	if (strlen(root) + strlen(path) >= PATH_SIZE)
		return -ENAMETOOLONG;
	strcpy(whole, root);
	strcat(whole, path);
	return file_fill_once(file_open(whole, 0), text, size);
}
