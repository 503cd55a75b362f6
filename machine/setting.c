/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "setting.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-.:"

struct setting *settings_add(struct settings *settings, const char *path)
{
	struct setting *setting = &settings->setting[settings->count];

	if (settings->count == SETTINGS_MAX || strlen(path) >= SETTING_PATH_SIZE) {
		settings->missed++;
		return NULL;
	}
	settings->count++;
	*setting = (struct setting){ .state = SETTING_AS_WANTED };
	strcpy(setting->path, path);
	return setting;
}

bool setting_matches(const char *path, const char *pattern)
{
	const char *star = strchr(pattern, '*');
	size_t before, length;

	if (!star)
		return !strcmp(path, pattern);
	before = (size_t)(star - pattern);
	if (strncmp(path, pattern, before) || path[before] == '.')
		return false;
	length = strspn(path + before, NAME_CHARACTERS);
	return length > 0 && !strcmp(path + before + length, star + 1);
}

void setting_each(const char *root, const char *pattern,
		  void (*call)(const char *path, void *argument), void *argument)
{
	const char *star = strchr(pattern, '*');
	char path[PATH_MAX], whole[2 * PATH_MAX];
	struct dirent **entries;
	int n;

	if (!star) {
		call(pattern, argument);
		return;
	}
	snprintf(path, sizeof path, "%s%.*s", root, (int)(star - pattern), pattern);
	n = scandir(path, &entries, NULL, alphasort);
	for (int i = 0; i < n; i++) {
		snprintf(path, sizeof path, "%.*s%s%s", (int)(star - pattern), pattern,
			 entries[i]->d_name, star + 1);
		snprintf(whole, sizeof whole, "%s%s", root, path);
		if (setting_matches(path, pattern) && !access(whole, F_OK))
			call(path, argument);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

static bool is_word(const char *text)
{
	const char *at = text;

	while (*at > ' ' && *at < 0x7f)
		at++;
	return at > text && !*at;
}

int setting_get(const char *root, const char *path, char value[SETTING_VALUE_SIZE])
{
	char whole[PATH_MAX];
	long length;

	snprintf(whole, sizeof whole, "%s%s", root, path);
	length = file_read(whole, value, SETTING_VALUE_SIZE);
	if (length < 0)
		return (int)length;
	if (length == SETTING_VALUE_SIZE - 1)
		return -EFBIG;
	if (length > 0 && value[length - 1] == '\n')
		value[length - 1] = 0;
	return is_word(value) ? 0 : -EINVAL;
}

/* The kernel expects the whole value in one write. */
static int write_once(const char *path, const char *text, size_t length)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK);
	int error = 0;
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = write(fd, text, length);
	if (n < 0)
		error = -errno;
	else if ((size_t)n < length)
		error = -EIO;
	if (close(fd) && !error)
		error = -errno;
	return error;
}

int setting_set(const char *root, const char *path, const char *value)
{
	char whole[PATH_MAX], text[SETTING_VALUE_SIZE + 1];
	const int length = snprintf(text, sizeof text, "%s\n", value);
	int error;

	snprintf(whole, sizeof whole, "%s%s", root, path);
	error = write_once(whole, text, (size_t)length);
	if (!error)
		error = setting_get(root, path, text);
	if (!error && strcmp(text, value))
		error = -EIO;
	return error;
}
