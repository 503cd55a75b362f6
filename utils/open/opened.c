/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "knobs.h"
#include "opened.h"
#include "quiet.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "cpucycles-opened 1"

/* A record of SETTINGS_MAX settings. */
#define SIZE_MAX_TEXT (64 + SETTINGS_MAX * (sizeof(struct opened_setting) + 24))

/* The setting's index; opened->count if it is not recorded. */
static size_t index_of(const struct opened *opened, const char *path)
{
	size_t i = 0;

	while (i < opened->count && strcmp(opened->setting[i].path, path))
		i++;
	return i;
}

const struct opened_setting *opened_find(const struct opened *opened, const char *path)
{
	size_t i = index_of(opened, path);

	return i < opened->count ? &opened->setting[i] : NULL;
}

void opened_drop(struct opened *opened, const char *path)
{
	size_t i = index_of(opened, path);

	if (i == opened->count)
		return;
	opened->count--;
	memmove(&opened->setting[i], &opened->setting[i + 1],
		(opened->count - i) * sizeof opened->setting[0]);
}

void opened_refuse(struct opened *opened, const char *path)
{
	const size_t i = index_of(opened, path);

	if (i < opened->count)
		strcpy(opened->setting[i].wrote, opened->setting[i].found);
}

bool opened_is_refused(const struct opened *opened, const struct setting *setting)
{
	const struct opened_setting *old = opened_find(opened, setting->path);

	return old && !strcmp(old->wrote, old->found) && !strcmp(setting->found, old->found);
}

static void record_setting(struct opened *opened, const struct setting *setting)
{
	struct opened_setting *new = &opened->setting[opened->count];

	if (opened_find(opened, setting->path) || opened->count == opened->size)
		return;
	opened->count++;
	strcpy(new->path, setting->path);
	strcpy(new->found, setting->found);
	strcpy(new->wrote, setting->wanted);
}

size_t opened_add(struct opened *opened, const struct settings *settings)
{
	size_t others = 0;

	for (size_t i = 0; i < settings->count; i++) {
		const struct setting *setting = &settings->setting[i];
		const struct opened_setting *old = opened_find(opened, setting->path);

		if (old && !setting->error && strcmp(setting->found, old->wrote))
			opened_drop(opened, setting->path);
		if (setting->state != SETTING_OTHER)
			continue;
		others++;
		record_setting(opened, setting);
	}
	return others;
}

enum opened_state opened_state(const struct opened_setting *setting, int error, const char *value)
{
	if (error == -ENOENT)
		return OPENED_GONE;
	if (error)
		return OPENED_UNKNOWN;
	if (!strcmp(value, setting->found))
		return OPENED_BACK;
	return strcmp(value, setting->wrote) ? OPENED_CHANGED : OPENED_OURS;
}

size_t opened_format(const struct opened *opened, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, FIRST_LINE "\nboot %s\n", opened->boot);

	for (size_t i = 0; i < opened->count && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "knob %s found %s wrote %s\n",
				      opened->setting[i].path, opened->setting[i].found,
				      opened->setting[i].wrote);
	return n < size ? n : 0;
}

/* Step over the word. False: the text does not begin with it. */
static bool skip_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length))
		return false;
	*text += length;
	return true;
}

/* Take the text up to the next blank, the end of the line or anything else that is no word's. */
static bool take_word(const char **text, char *word, size_t size)
{
	size_t length = 0;

	while ((*text)[length] > ' ' && (*text)[length] < 0x7f)
		length++;
	if (length == 0 || length >= size)
		return false;
	memcpy(word, *text, length);
	word[length] = 0;
	*text += length;
	return true;
}

/* Anything in a record that this program would not have written is refused. */
static bool is_ours(const struct opened_setting *setting)
{
	return knob_would_write(setting->path, setting->found, setting->wrote) ||
	       quiet_would_write(setting->path, setting->found, setting->wrote);
}

static bool take_setting(const char **text, struct opened *opened)
{
	struct opened_setting *new = &opened->setting[opened->count];

	if (opened->count == opened->size || !skip_word(text, "knob ") ||
	    !take_word(text, new->path, sizeof new->path) || !skip_word(text, " found ") ||
	    !take_word(text, new->found, sizeof new->found) || !skip_word(text, " wrote ") ||
	    !take_word(text, new->wrote, sizeof new->wrote) || !skip_word(text, "\n") ||
	    !is_ours(new) || opened_find(opened, new->path))
		return false;
	opened->count++;
	return true;
}

unsigned opened_parse(const char *text, struct opened *opened)
{
	unsigned line = 3;

	opened->count = 0;
	if (!skip_word(&text, FIRST_LINE "\n"))
		return 1;
	if (!skip_word(&text, "boot ") || !take_word(&text, opened->boot, sizeof opened->boot) ||
	    !machine_is_boot(opened->boot) || !skip_word(&text, "\n"))
		return 2;
	do {
		if (!take_setting(&text, opened))
			return line;
		line++;
	} while (*text);
	return 0;
}

int opened_load(const struct publish_place *place, struct opened *opened)
{
	int fd = openat(place->folder, place->name,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	static char text[SIZE_MAX_TEXT];
	struct stat status;
	long length = -EPERM;

	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status) && S_ISREG(status.st_mode) && status.st_uid == 0 &&
	    !(status.st_mode & (S_IWGRP | S_IWOTH)))
		length = file_fill(fd, text, sizeof text);
	close(fd);
	if (length < 0)
		return (int)length;
	if (strlen(text) != (size_t)length)
		return 1;
	return (int)opened_parse(text, opened);
}

int opened_save(const struct publish_place *place, const struct opened *opened)
{
	static char text[SIZE_MAX_TEXT];
	size_t length;

	if (opened->count == 0)
		return unlinkat(place->folder, place->name, 0) && errno != ENOENT ? -errno : 0;
	length = opened_format(opened, text, sizeof text);
	return length ? publish_text(place, true, text, length, NULL, NULL) : -EFBIG;
}
