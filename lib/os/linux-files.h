/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* How Linux writes what it knows of the hardware: /proc/cpuinfo and the device tree.
 * Source of the latter: the Devicetree Specification, 2.2.4. */

#ifndef CPUCYCLES_LINUX_FILES_H
#define CPUCYCLES_LINUX_FILES_H

#include "file.h"
#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#define LINUX_CPU0 "/sys/devices/system/cpu/cpu0/"
#define LINUX_CPUINFO "/proc/cpuinfo"
#define LINUX_PATH_SIZE 256

/* The path below a root, "" but in tests. False if it does not fit. */
static inline bool linux_path(char whole[LINUX_PATH_SIZE], const char *root, const char *path)
{
	size_t length = strlen(root);

	if (length + strlen(path) >= LINUX_PATH_SIZE)
		return false;
	memcpy(whole, root, length);
	strcpy(whole + length, path);
	return true;
}

/* file_read below a root. */
static inline long linux_read(const char *root, const char *path, void *buffer, size_t size)
{
	char whole[LINUX_PATH_SIZE];

	return linux_path(whole, root, path) ? file_read(whole, buffer, size) : -1;
}

/* file_open_regular below a root. */
static inline int linux_open(const char *root, const char *path)
{
	char whole[LINUX_PATH_SIZE];

	return linux_path(whole, root, path) ? file_open_regular(whole) : -1;
}

/* What stands behind "key<blanks>:", if the line has that key. */
static inline const char *linux_value(const char *line, const char *key)
{
	line = text_skip(line, key);
	if (!line)
		return NULL;
	line += strspn(line, " \t");
	return *line == ':' ? line + 1 : NULL;
}

/* One or two big-endian cells of 32 bits. */
static inline bool linux_cells(const char *root, const char *path, uint64_t *number)
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

#endif
