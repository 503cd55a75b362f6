/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "decimal.h"
#include "file.h"
#include "os/filesystem.h"
#include "persecond.h"
#include "rate.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

size_t persecond_format(const struct persecond *persecond, const char *boot, char *text,
			size_t size)
{
	int n = snprintf(text, size,
			 "%" PRIu64 "\n" PERSECOND_MARK "%s" PERSECOND_MARK_SOURCE
			 "%s\n" PERSECOND_HINT "%" PRIu64 PERSECOND_HINT_END,
			 persecond->hz, boot, frequency_source_name(persecond->source),
			 persecond->hz);

	return n > 0 && (size_t)n < size ? (size_t)n : 0;
}

/* Where the parts of the second line begin that the calibrator writes. */
#define MARK_BOOT (sizeof PERSECOND_MARK - 1)
#define MARK_COMMA (MARK_BOOT + MACHINE_BOOT_SIZE - 1)
#define MARK_SOURCE (MARK_COMMA + sizeof PERSECOND_MARK_SOURCE - 1)

/* Whether the text is the second line of a file that the calibrator wrote. If so, *file gets the
 * boot and the source. */
static bool parse_mark(const char *text, size_t length, const char *known_boot,
		       struct persecond_file *file)
{
	char source[32];
	size_t source_length;

	if (length <= MARK_SOURCE || memcmp(text, PERSECOND_MARK, MARK_BOOT) ||
	    memcmp(text + MARK_COMMA, PERSECOND_MARK_SOURCE, MARK_SOURCE - MARK_COMMA))
		return false;
	source_length = length - MARK_SOURCE;
	if (source_length >= sizeof source)
		return false;
	memcpy(source, text + MARK_SOURCE, source_length);
	source[source_length] = 0;
	memcpy(file->boot, text + MARK_BOOT, MACHINE_BOOT_SIZE - 1);
	return (machine_is_same_boot(file->boot, known_boot) || machine_is_boot(file->boot)) &&
	       frequency_source_find(source, &file->said.source) &&
	       frequency_is_machines(file->said.source);
}

#define HINT_NUMBER (sizeof PERSECOND_HINT - 1)
#define HINT_END (sizeof PERSECOND_HINT_END - 1)

/* Whether the text is the third line that the calibrator writes below a first line of this length.
 * Both are compared as texts, so that scripts can do the same: whatever the calibrator does not
 * write there, such as a comment, is the sysadmin's. */
static bool is_hint(const char *text, size_t length, const char *first_line, size_t first)
{
	return length == HINT_NUMBER + first + HINT_END &&
	       !memcmp(text, PERSECOND_HINT, HINT_NUMBER) &&
	       !memcmp(text + HINT_NUMBER, first_line, first) &&
	       !memcmp(text + HINT_NUMBER + first, PERSECOND_HINT_END, HINT_END);
}

/* Whether the calibrator wrote this text, whose first line has this length. An earlier version
 * wrote no third line. */
static bool parse_ours(const char *text, size_t length, size_t first, const char *known_boot,
		       struct persecond_file *file)
{
	const char *const second = text + first + 1, *const end = text + length;
	const char *const line_end = memchr(second, '\n', (size_t)(end - second));
	const char *const third = line_end ? line_end + 1 : NULL;

	return third && parse_mark(second, (size_t)(line_end - second), known_boot, file) &&
	       (third == end || is_hint(third, (size_t)(end - third), text, first));
}

/* Whether the first line has a number. If the line goes on after what was read, what follows is
 * unknown, unless a comment has begun. */
static bool parse_number(const char *text, size_t length, bool has_end, uint64_t *hz)
{
	if (!decimal_hertz(text, hz) || !rate_is_sane(*hz))
		return false;
	return has_end || length < PERSECOND_TEXT_SIZE - 1 || memchr(text, '#', length);
}

void persecond_parse(const char *text, size_t length, const char *known_boot,
		     struct persecond_file *file)
{
	const char *end = memchr(text, '\n', length);
	uint64_t hz;

	memset(file, 0, sizeof *file);
	file->exists = true;
	if (memchr(text, 0, length)) {
		file->flaw = FLAW_NOT_A_TEXT;
		return;
	}
	file->ours = end && parse_ours(text, length, (size_t)(end - text), known_boot, file);
	if (!file->ours)
		file->said.source = PERSECOND_FILE;
	if (parse_number(text, length, end != NULL, &hz))
		file->said.hz = hz;
	else
		file->flaw = FLAW_NOT_A_NUMBER;
}

/* text: see persecond_look. */
static void read_text(const char *path, const struct persecond_known *known,
		      struct persecond_file *file, char *text)
{
	char own[PERSECOND_TEXT_SIZE];
	struct stat status;
	long length;
	int fd;

	text = text ? text : own;
	text[0] = 0;
	memset(file, 0, sizeof *file);
	file->exists = true; /* the answer if a call faults */
	file->flaw = FLAW_UNREADABLE;
	fd = file_open_regular(path, &status);
	if (fd == -ENOENT || fd == -ENOTDIR) {
		file->exists = false;
		file->flaw = FLAW_NONE;
		return;
	}
	if (fd < 0) {
		file->flaw = fd == -EINVAL ? FLAW_NOT_A_FILE : FLAW_UNREADABLE;
		file->error = fd;
		return;
	}
	if (!filesystem_is_local(fd, &status, known ? known->file_system : 0)) {
		file->flaw = FLAW_ELSEWHERE;
		file_close(fd);
		return;
	}
	length = file_fill_once(fd, text, PERSECOND_TEXT_SIZE);
	if (length >= 0)
		persecond_parse(text, (size_t)length, known ? known->boot : "", file);
	else
		file->error = (int)length;
}

void persecond_read(const char *path, const struct persecond_known *known,
		    struct persecond_file *file)
{
	read_text(path, known, file, NULL);
}

void persecond_look(const char *path, struct persecond_file *file, char *text)
{
	struct stat status;

	read_text(path, NULL, file, text);
	if (file->exists)
		return;
	file->exists = true; /* the answer if the next call faults */
	if (!lstat(path, &status) && S_ISLNK(status.st_mode))
		file->flaw = FLAW_DANGLING;
	else
		file->exists = false;
}

const struct persecond *persecond_answer(const struct persecond_file *file, const char *boot)
{
	if (file->said.hz == 0)
		return NULL;
	return !file->ours || machine_is_same_boot(file->boot, boot) ? &file->said : NULL;
}
