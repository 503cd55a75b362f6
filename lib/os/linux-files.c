/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "decimal.h"
#include "file.h"
#include "os/linux-files.h"
#include "rate.h"
#include "text.h"
#include "hot.h"

#include <string.h>

COLD bool linux_path(char whole[LINUX_PATH_SIZE], const char *root, const char *path)
{
	if (strlen(root) + strlen(path) >= LINUX_PATH_SIZE)
		return false;
	strcpy(whole, root);
	strcat(whole, path);
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

COLD unsigned linux_first_cpu(const char *root)
{
	char list[64]; /* such as "1-3,8"; a longer one is cut after its first number */
	const char *text = list;
	uint64_t cpu;

	if (linux_read(root, LINUX_CPUS "online", list, sizeof list) <= 0 ||
	    !decimal_parse(&text, 0, &cpu) || cpu > LINUX_CPU_LAST)
		return 0;
	return (unsigned)cpu;
}

/* Puts the number between the texts. Not by snprintf(3), whose code a first call would load. */
static void put_number(char path[LINUX_PATH_SIZE], const char *before, unsigned number,
		       unsigned base, const char *rest)
{
	char digits[16], *digit = digits + sizeof digits - 1;

	*digit = 0;
	do
		*--digit = "0123456789abcdef"[number % base];
	while (number /= base);
	strcpy(path, before);
	strcat(path, digit);
	strcat(path, rest);
}

COLD void linux_cpu_path(char path[LINUX_PATH_SIZE], unsigned cpu, const char *name)
{
	put_number(path, LINUX_CPUS "cpu", cpu, 10, name);
}

COLD void linux_node_path(char path[LINUX_PATH_SIZE], unsigned cpu, const char *name)
{
	put_number(path, "/proc/device-tree/cpus/cpu@", cpu, 16, name);
}

COLD const char *linux_value(const char *line, const char *key)
{
	line = text_skip(line, key);
	if (!line)
		return NULL;
	line += strspn(line, " \t");
	return *line == ':' ? line + 1 : NULL;
}

COLD bool linux_cells(const char *root, const char *path, uint64_t *hz)
{
	unsigned char bytes[16];
	long length = linux_read(root, path, bytes, sizeof bytes);

	if (length != 4 && length != 8)
		return false;
	*hz = 0;
	for (long i = 0; i < length; i++)
		*hz = *hz << 8 | bytes[i];
	return rate_is_sane(*hz);
}
