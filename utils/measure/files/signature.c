/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "signature.h"
#include "cxx-name.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

static bool is_integer(char kind)
{
	return kind == SIGNATURE_SIZE_T || kind == SIGNATURE_LONG || kind == SIGNATURE_INT;
}

/* That may be 0. */
static bool is_number(char kind)
{
	return is_integer(kind) || kind == SIGNATURE_SMALL;
}

static bool is_out(char kind)
{
	return kind == SIGNATURE_OUT || kind == SIGNATURE_CONTEXT;
}

static bool is_bytes(char kind)
{
	return kind == SIGNATURE_IN || is_out(kind);
}

/*
 * The arguments of a function that gets a buffer and its length, and of these: a buffer for the
 * result before both, as in f(out, in, length); or another number, such as an earlier checksum.
 * That one comes before both; or else the only size_t is the length, because it is not clear which
 * of two other integers is.
 */
static void find_buffer(const char *kinds, struct signature *s)
{
	enum signature_argument *next = s->arguments;
	const char *const end = kinds + strlen(kinds);

	if (is_out(kinds[0]) && kinds[1] == SIGNATURE_IN) {
		*next++ = SIGNATURE_ROOM;
		kinds++;
	} else if (is_number(kinds[0]) && end - kinds == 3 && is_bytes(kinds[1])) {
		*next++ = SIGNATURE_ZERO;
		kinds++;
	}
	if (is_bytes(kinds[0]) && is_integer(kinds[1]) && kinds + 2 == end) {
		*next++ = SIGNATURE_BUFFER;
		*next = SIGNATURE_LENGTH;
		s->narrow = kinds[1] == SIGNATURE_INT;
	} else if (next == s->arguments && is_bytes(kinds[0]) && is_number(kinds[1]) &&
		   is_number(kinds[2]) && kinds + 3 == end &&
		   (kinds[1] == SIGNATURE_SIZE_T) != (kinds[2] == SIGNATURE_SIZE_T)) {
		const size_t length = kinds[1] == SIGNATURE_SIZE_T ? 1 : 2;

		next[0] = SIGNATURE_BUFFER;
		next[length] = SIGNATURE_LENGTH;
		next[3 - length] = SIGNATURE_ZERO;
	} else {
		memset(s->arguments, 0, sizeof s->arguments);
	}
}

/* Copy the next line, or its beginning, and return the line after it. NULL: there is none. */
static const char *take_line(const char *text, char line[], size_t size)
{
	const char *const end = text ? strchr(text, '\n') : NULL;

	if (!end)
		return NULL;
	snprintf(line, size, "%.*s", (int)(end - text), text);
	if ((size_t)(end - text) >= size)
		strcpy(line + size - sizeof "...", "...");
	return end + 1;
}

/* kinds: the letters of the parameters, and one after them. */
static void judge(const char *kinds, struct signature *s)
{
	s->nothing = !kinds[0] || (kinds[0] == SIGNATURE_CONTEXT && !kinds[1]);
	s->size = is_integer(kinds[0]) && !kinds[1];
	s->narrow = s->size && kinds[0] == SIGNATURE_INT;
	s->pointer = (is_bytes(kinds[0]) || kinds[0] == SIGNATURE_POINTER) && !kinds[1];
	find_buffer(kinds, s);
}

/* Of what a demangled name says. size_t has no name of its own there. */
static char kind_of(const char *type, size_t length)
{
	static const struct {
		const char *type;
		char kind;
	} types[] = {
		{ "int", SIGNATURE_INT },
		{ "unsigned int", sizeof(size_t) > 4 ? SIGNATURE_INT : SIGNATURE_SIZE_T },
		{ "long", sizeof(long) > 4 ? SIGNATURE_LONG : SIGNATURE_INT },
		{ "unsigned long",
		  sizeof(long) == sizeof(size_t) ? SIGNATURE_SIZE_T : SIGNATURE_INT },
		{ "bool", SIGNATURE_SMALL },
		{ "char", SIGNATURE_SMALL },
		{ "unsigned char", SIGNATURE_SMALL },
		{ "short", SIGNATURE_SMALL },
		{ "unsigned short", SIGNATURE_SMALL },
		{ "void*", SIGNATURE_CONTEXT },
		{ "char*", SIGNATURE_OUT },
		{ "unsigned char*", SIGNATURE_OUT },
		{ "void const*", SIGNATURE_IN },
		{ "char const*", SIGNATURE_IN },
		{ "unsigned char const*", SIGNATURE_IN },
	};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (strlen(types[i].type) == length && !memcmp(types[i].type, type, length))
			return types[i].kind;
	return type[length - 1] == '*' ? SIGNATURE_POINTER : SIGNATURE_OTHER;
}

void signature_of_name(const char *demangled, struct signature *s)
{
	char kinds[SIGNATURE_PARAMETERS + 2] = "";
	const char *const name = cxx_without_result(demangled);
	size_t length, rest, n = 0;
	const char *at = cxx_parameters(demangled, &rest);
	bool member;

	if (!at)
		return;
	member = at[rest + 1] == ' ' || at[rest + 1] == '&';
	/* A comma in brackets makes two of a type that no call passes. */
	for (const char *end = at + rest; at < end; at += length + strspn(at + length, ", ")) {
		length = strcspn(at, ",");
		length = length < (size_t)(end - at) ? length : (size_t)(end - at);
		kinds[n] = kind_of(at, length);
		n += n < SIGNATURE_PARAMETERS;
	}
	s->scoped = !member && cxx_last_part(name, &length) != name;
	s->known = !s->scoped;
	snprintf(s->prototype, sizeof s->prototype, "%s", demangled);
	judge(member ? "x" : kinds, s);
}

void signature_parse(const char *text, struct signature *s)
{
	char kinds[SIGNATURE_PARAMETERS + 2], end;

	*s = (struct signature){ .asked = true };
	text = take_line(text, kinds, sizeof kinds);
	text = take_line(text, s->prototype, sizeof s->prototype);
	if (!text)
		return;
	s->known = true;
	/* A part of a wrapper, or of a path, would be of no use. */
	if (strcspn(text, "\n") < sizeof s->wrapper)
		take_line(text, s->wrapper, sizeof s->wrapper);
	text = strchr(text, '\n');
	if (text && (sscanf(text, "%u %1023[^\n]%c", &s->line, s->file, &end) != 3 || end != '\n'))
		s->line = 0;
	judge(kinds, s);
}
