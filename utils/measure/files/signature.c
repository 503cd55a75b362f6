/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "signature.h"

#include <stddef.h>
#include <string.h>

static bool is_integer(char kind)
{
	return kind == SIGNATURE_SIZE_T || kind == SIGNATURE_LONG || kind == SIGNATURE_INT;
}

static bool is_bytes(char kind)
{
	return kind == SIGNATURE_IN || kind == SIGNATURE_OUT;
}

/* How likely an integer is a length. */
static int rank(char kind)
{
	return kind == SIGNATURE_SIZE_T ? 3 : kind == SIGNATURE_LONG ? 2 : 1;
}

/*
 * The arguments of a function that gets a buffer and its length, and of these: a buffer for the
 * result before both, as in f(out, in, length); or another integer, such as an earlier checksum.
 * That one comes before both; or else the wider integer of two is the length, because it is not
 * clear which of two integers of one type is.
 */
static void find_buffer(const char *kinds, struct signature *s)
{
	enum signature_argument *next = s->arguments;
	const char *const end = kinds + strlen(kinds);

	if (kinds[0] == SIGNATURE_OUT && kinds[1] == SIGNATURE_IN) {
		*next++ = SIGNATURE_ROOM;
		kinds++;
	} else if (is_integer(kinds[0]) && end - kinds == 3 && is_bytes(kinds[1])) {
		*next++ = SIGNATURE_ZERO;
		kinds++;
	}
	if (is_bytes(kinds[0]) && is_integer(kinds[1]) && kinds + 2 == end) {
		*next++ = SIGNATURE_BUFFER;
		*next = SIGNATURE_LENGTH;
	} else if (next == s->arguments && is_bytes(kinds[0]) && is_integer(kinds[1]) &&
		   is_integer(kinds[2]) && kinds + 3 == end && rank(kinds[1]) != rank(kinds[2])) {
		const size_t length = rank(kinds[1]) > rank(kinds[2]) ? 1 : 2;

		next[0] = SIGNATURE_BUFFER;
		next[length] = SIGNATURE_LENGTH;
		next[3 - length] = SIGNATURE_ZERO;
	} else {
		memset(s->arguments, 0, sizeof s->arguments);
	}
}

/* Copy the next line, and return the one after it. NULL: there is none, or no room. */
static const char *take_line(const char *text, char line[], size_t size)
{
	const char *const end = text ? strchr(text, '\n') : NULL;

	if (!end || (size_t)(end - text) >= size)
		return NULL;
	memcpy(line, text, (size_t)(end - text));
	line[end - text] = 0;
	return end + 1;
}

void signature_parse(const char *text, struct signature *s)
{
	char kinds[SIGNATURE_PARAMETERS + 2];

	*s = (struct signature){ .asked = true };
	text = take_line(text, kinds, sizeof kinds);
	text = take_line(text, s->prototype, sizeof s->prototype);
	if (!text)
		return;
	s->known = true;
	/* A longer one has no room in a message. */
	if (!take_line(text, s->wrapper, sizeof s->wrapper))
		s->wrapper[0] = 0;
	s->nothing = !kinds[0];
	s->size = is_integer(kinds[0]) && !kinds[1];
	s->pointer = (is_bytes(kinds[0]) || kinds[0] == SIGNATURE_POINTER) && !kinds[1];
	find_buffer(kinds, s);
}
