/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "file.h"
#include "opened.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_LINE "cpucycles-opened 1"

/* The knob's index; opened->count if it is not recorded. */
static size_t index_of(const struct opened *opened, const char *path)
{
	size_t i = 0;

	while (i < opened->count && strcmp(opened->knob[i].path, path))
		i++;
	return i;
}

const struct opened_knob *opened_find(const struct opened *opened, const char *path)
{
	size_t i = index_of(opened, path);

	return i < opened->count ? &opened->knob[i] : NULL;
}

void opened_drop(struct opened *opened, const char *path)
{
	size_t i = index_of(opened, path);

	if (i == opened->count)
		return;
	opened->count--;
	memmove(&opened->knob[i], &opened->knob[i + 1],
		(opened->count - i) * sizeof opened->knob[0]);
}

static void record_knob(struct opened *opened, const struct knob *knob)
{
	struct opened_knob *new = &opened->knob[opened->count];

	if (opened_find(opened, knob->path) || opened->count == KNOBS_MAX)
		return;
	opened->count++;
	strcpy(new->path, knob->path);
	new->found = knob->value;
	new->wrote = knob->kind->open;
}

size_t opened_add(struct opened *opened, const struct knobs *knobs)
{
	size_t closed = 0;

	for (size_t i = 0; i < knobs->count; i++) {
		const struct knob *knob = &knobs->knob[i];
		const struct opened_knob *old = opened_find(opened, knob->path);

		if (old && !knob->error && knob->value != old->wrote)
			opened_drop(opened, knob->path);
		if (knob_state(knobs, knob) != KNOB_CLOSED)
			continue;
		closed++;
		record_knob(opened, knob);
	}
	return closed;
}

enum opened_state opened_state(const struct opened_knob *knob, int error, int value)
{
	if (error == -ENOENT)
		return OPENED_GONE;
	if (error)
		return OPENED_UNKNOWN;
	if (value == knob->wrote)
		return OPENED_OURS;
	return value == knob->found ? OPENED_BACK : OPENED_CHANGED;
}

size_t opened_format(const struct opened *opened, char *text, size_t size)
{
	size_t n = (size_t)snprintf(text, size, FIRST_LINE "\nboot %s\n", opened->boot);

	for (size_t i = 0; i < opened->count && n < size; i++)
		n += (size_t)snprintf(text + n, size - n, "knob %s found %d wrote %d\n",
				      opened->knob[i].path, opened->knob[i].found,
				      opened->knob[i].wrote);
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

/* Take the text up to the next blank or the end of the line. */
static bool take_word(const char **text, char *word, size_t size)
{
	size_t length = strcspn(*text, " \n");

	if (length == 0 || length >= size)
		return false;
	memcpy(word, *text, length);
	word[length] = 0;
	*text += length;
	return true;
}

/* Whether this program would have written the entry: a knob that it knows, found closed and opened
 * just as far as it opens knobs. Anything else in a record is refused. */
static bool is_ours(const struct opened_knob *knob)
{
	const struct knob_kind *kind = knob_kind_of(knob->path);

	return kind && !knob_is_open(kind, knob->found) && knob->wrote == kind->open;
}

static bool take_knob(const char **text, struct opened *opened)
{
	struct opened_knob knob;

	if (opened->count == KNOBS_MAX || !skip_word(text, "knob ") ||
	    !take_word(text, knob.path, sizeof knob.path) || !skip_word(text, " found ") ||
	    !knob_parse(text, &knob.found) || !skip_word(text, " wrote ") ||
	    !knob_parse(text, &knob.wrote) || !skip_word(text, "\n") || !is_ours(&knob) ||
	    opened_find(opened, knob.path))
		return false;
	opened->knob[opened->count++] = knob;
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
		if (!take_knob(&text, opened))
			return line;
		line++;
	} while (*text);
	return 0;
}

int opened_load(const struct publish_place *place, struct opened *opened)
{
	int fd = openat(place->folder, place->name,
			O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	char text[OPENED_SIZE_MAX + 1];
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
	char text[OPENED_SIZE_MAX];
	size_t length;

	if (opened->count == 0)
		return unlinkat(place->folder, place->name, 0) && errno != ENOENT ? -errno : 0;
	length = opened_format(opened, text, sizeof text);
	return length ? publish_text(place, true, text, length, NULL, NULL) : -EFBIG;
}
