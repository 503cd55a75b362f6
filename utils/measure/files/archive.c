/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "archive.h"

#include <stdint.h>

#define ARCHIVE_MAGIC "!<arch>\n"
#define THIN_MAGIC "!<thin>\n"

/* A text is known by so many bytes at its beginning. */
#define LOOKED_AT 512

static bool has(const unsigned char *bytes, size_t size, const char *text)
{
	const size_t length = strlen(text);

	for (size_t i = 0; i + length <= size; i++)
		if (!memcmp(bytes + i, text, length))
			return true;
	return false;
}

enum symbols_kind symbols_kind_without_elf(const struct symbols_file *file)
{
	const size_t size = file->size < LOOKED_AT ? file->size : LOOKED_AT;

	if (symbols_begin(file, ARCHIVE_MAGIC) || symbols_begin(file, THIN_MAGIC))
		return SYMBOLS_ARCHIVE;
	for (size_t i = 0; i < size; i++)
		if (file->bytes[i] < '\t' || file->bytes[i] == 127)
			return SYMBOLS_UNKNOWN;
	if (has(file->bytes, size, "GNU ld script") || symbols_begin(file, "INPUT"))
		return SYMBOLS_SCRIPT;
	return size > 0 ? SYMBOLS_TEXT : SYMBOLS_UNKNOWN;
}

bool symbols_is_thin(const struct symbols_file *file)
{
	return symbols_begin(file, THIN_MAGIC);
}

/* A member of an archive has a head of text before it. Source: ar(5). */
#define HEAD 60
#define HEAD_NAME 16
#define HEAD_SIZE 48 /* is where the size begins, in decimal */
#define HEAD_SIZE_DIGITS 10
#define HEAD_END 58    /* is where "`\n" stands */
#define BSD_NAME "#1/" /* the size of a name that follows the head, in decimal */

/* A decimal number that ends with a blank, or with these digits. A large one becomes SIZE_MAX. */
static size_t number_of(const unsigned char *text, size_t digits)
{
	size_t number = 0;

	for (size_t i = 0; i < digits && text[i] >= '0' && text[i] <= '9'; i++)
		number = number < SIZE_MAX / 16 ? 10 * number + (size_t)(text[i] - '0') : SIZE_MAX;
	return number;
}

bool symbols_member(const struct symbols_file *archive, size_t *at, struct symbols_file *member)
{
	const unsigned char *head;
	size_t left, size, name = 0;

	if (*at == 0 && !symbols_begin(archive, ARCHIVE_MAGIC))
		return false;
	*at = *at ? *at : strlen(ARCHIVE_MAGIC);
	left = *at < archive->size ? archive->size - *at : 0;
	if (left < HEAD || memcmp(archive->bytes + *at + HEAD_END, "`\n", 2))
		return false;
	head = archive->bytes + *at;
	size = number_of(head + HEAD_SIZE, HEAD_SIZE_DIGITS);
	if (size > left - HEAD)
		return false;
	if (!memcmp(head, BSD_NAME, strlen(BSD_NAME)))
		name = number_of(head + strlen(BSD_NAME), HEAD_NAME - strlen(BSD_NAME));
	name = name < size ? name : size;
	*member = (struct symbols_file){ .bytes = head + HEAD + name, .size = size - name };
	*at += HEAD + size + size % 2;
	return true;
}

bool symbols_archive_is_cut(const struct symbols_file *archive)
{
	struct symbols_file member;
	size_t at = 0;

	while (symbols_member(archive, &at, &member))
		continue;
	return symbols_begin(archive, ARCHIVE_MAGIC) &&
	       (at ? at : strlen(ARCHIVE_MAGIC)) < archive->size;
}
