/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "sysfs-files.h"
#include "name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_SIZE 512
#define FILE_READS 16

/* Makes root[/pmu][/folder][/file]. Parts may be NULL. */
static int join(char path[PATH_SIZE], const char *root, const char *pmu, const char *folder,
		const char *file)
{
	const int length = snprintf(path, PATH_SIZE, "%s%s%s%s%s%s%s", root, pmu ? "/" : "",
				    pmu ? pmu : "", folder ? "/" : "", folder ? folder : "",
				    file ? "/" : "", file ? file : "");

	return length < 0 || length >= PATH_SIZE ? -ENAMETOOLONG : 0;
}

/* Reads until the end of the file or of the text. Returns the length or a negative errno. */
static ssize_t fill(int fd, char *text, size_t size)
{
	size_t length = 0;

	for (int i = 0; i < FILE_READS && length < size; i++) {
		const ssize_t n = read(fd, text + length, size - length);

		if (n == 0)
			return (ssize_t)length;
		if (n < 0 && errno != EINTR)
			return -errno;
		length += n > 0 ? (size_t)n : 0;
	}
	return -EFBIG;
}

static ssize_t read_bytes(const char *path, char *text, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat status;
	ssize_t length = -EINVAL;

	if (fd < 0)
		return -errno;
	/* Anything else may wait, or have no end. */
	if (!fstat(fd, &status) && S_ISREG(status.st_mode))
		length = fill(fd, text, size);
	close(fd);
	return length;
}

int sysfs_line(const char *root, const char *pmu, const char *folder, const char *file,
	       char line[SYSFS_LINE])
{
	char path[PATH_SIZE];
	ssize_t length = join(path, root, pmu, folder, file);

	if (!length)
		length = read_bytes(path, line, SYSFS_LINE - 1);
	if (length < 0)
		return length == -EFBIG ? -EINVAL : (int)length;
	if (length > 0 && line[length - 1] == '\n')
		length--;
	for (ssize_t i = 0; i < length; i++)
		if (line[i] < ' ' || line[i] > '~')
			return -EINVAL;
	line[length] = 0;
	return 0;
}

bool sysfs_has(const char *root, const char *pmu, const char *name)
{
	char path[PATH_SIZE];
	struct stat status;

	return !join(path, root, pmu, name, NULL) && !stat(path, &status);
}

static int is_plain(const struct dirent *entry)
{
	return event_name_is_plain(entry->d_name, strlen(entry->d_name));
}

/* Not alphasort(3), which sorts as the locale does. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int sysfs_each(const char *root, const char *pmu, const char *folder,
	       int (*call)(void *context, const char *name), void *context)
{
	char path[PATH_SIZE];
	struct dirent **entries = NULL;
	int result = join(path, root, pmu, folder, NULL), n = 0;

	if (!result)
		n = scandir(path, &entries, is_plain, by_name);
	if (n < 0)
		return -errno;
	for (int i = 0; i < n; i++) {
		if (!result)
			result = call(context, entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return result;
}
