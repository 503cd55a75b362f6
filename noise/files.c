/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PATH_SIZE 512
#define LINES_MAX 65536

/* The descriptor, or a negative errno. */
static int open_below(const char *root, const char *path)
{
	char whole[PATH_SIZE];

	if (snprintf(whole, sizeof whole, "%s%s", root, path) >= PATH_SIZE)
		return -ENAMETOOLONG;
	return file_open(whole, 0);
}

bool files_read(const char *root, const char *path, char *text, size_t size)
{
	return file_fill_once(open_below(root, path), text, size) > 0;
}

/* Skip the rest of a line that was cut. */
static void skip_line(FILE *file)
{
	int c;

	while ((c = getc(file)) != EOF && c != '\n')
		;
}

bool files_lines(const char *root, const char *path, files_take *take, void *argument)
{
	static char line[FILES_LINE];
	const int fd = open_below(root, path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	size_t n;

	if (!file) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	for (n = 0; n < LINES_MAX && fgets(line, sizeof line, file); n++) {
		char *const end = strchr(line, '\n');

		if (end)
			*end = 0;
		else
			skip_line(file);
		if (!take(line, argument))
			break;
	}
	fclose(file);
	return n > 0 && n < LINES_MAX;
}
