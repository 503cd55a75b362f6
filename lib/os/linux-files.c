/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "os/linux-files.h"
#include "text.h"
#include "hot.h"

#include <string.h>

COLD bool linux_path(char whole[LINUX_PATH_SIZE], const char *root, const char *path)
{
	size_t length = strlen(root);

	if (length + strlen(path) >= LINUX_PATH_SIZE)
		return false;
	memcpy(whole, root, length);
	strcpy(whole + length, path);
	return true;
}

COLD int linux_open(const char *root, const char *path)
{
	char whole[LINUX_PATH_SIZE];
	struct stat status;

	return linux_path(whole, root, path) ? file_open_regular(whole, &status) : -1;
}

COLD long linux_read(const char *root, const char *path, void *buffer, size_t size)
{
	return file_fill_once(linux_open(root, path), buffer, size);
}

COLD const char *linux_value(const char *line, const char *key)
{
	line = text_skip(line, key);
	if (!line)
		return NULL;
	line += strspn(line, " \t");
	return *line == ':' ? line + 1 : NULL;
}

COLD bool linux_cells(const char *root, const char *path, uint64_t *number)
{
	unsigned char bytes[16];
	long length = linux_read(root, path, bytes, sizeof bytes);

	if (length != 4 && length != 8)
		return false;
	*number = 0;
	for (long i = 0; i < length; i++)
		*number = *number << 8 | bytes[i];
	return true;
}
