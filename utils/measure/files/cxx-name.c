/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cxx-name.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* How demanglers write the scope of what has none. */
#define ANONYMOUS "(anonymous namespace)"

bool cxx_is_name(const char *name)
{
	return strstr(name, "::") || strpbrk(name, "<(");
}

/* The mangled scope of what has none begins so, and ends in a digit. Source: GCC and LLVM. */
#define NO_SCOPE "_GLOBAL__N_1"

/* How many more brackets are open after the letter. */
static int opened(char letter)
{
	return (letter && strchr("<([{", letter)) - (letter && strchr(">)]}", letter));
}

const char *cxx_last_part(const char *name, size_t *length)
{
	const char *part = name;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		if (depth == 0 && *at == '(' && strncmp(at, ANONYMOUS, strlen(ANONYMOUS)) != 0)
			break;
		depth += opened(*at);
		if (depth == 0 && !strncmp(at, "::", 2))
			part = at + 2;
	}
	*length = strcspn(part, "<(");
	return part;
}

/* Whether digits at this place begin a number. */
static bool begins_number(const char *text, const char *at)
{
	const size_t before = (size_t)(at - text), scope = strlen(NO_SCOPE);

	return !isdigit((unsigned char)at[-1]) ||
	       (before > scope && !strncmp(at - scope, NO_SCOPE, scope));
}

const char *cxx_find_part(const char *mangled, const char *part, size_t length)
{
	char digits[24];
	const char *at = mangled;

	snprintf(digits, sizeof digits, "%zu", length);
	for (; strncmp(mangled, "_Z", 2) == 0 && (at = strstr(at, digits)); at++)
		if (begins_number(mangled, at) && !strncmp(at + strlen(digits), part, length))
			return at;
	return NULL;
}

/* The rest of the text after what was asked for. NULL: it does not begin so. */
static const char *skip_same(const char *text, const char *asked)
{
	for (;;) {
		asked += strspn(asked, " ");
		if (!*asked)
			return text;
		text += strspn(text, " ");
		if (*text++ != *asked++)
			return NULL;
	}
}

/* The rest of the text after the brackets that begin here, if they are such. */
static const char *skip_brackets(const char *text, char bracket)
{
	int depth = 0;

	if (*text != bracket)
		return text;
	do
		depth += opened(*text);
	while (depth > 0 && *++text);
	return *text ? text + 1 : text;
}

/* Whether nothing follows but arguments, tags such as [abi:cxx11], parameters, and words such as
 * const. What has a result of its own begins with it. */
static bool is_end(const char *rest, char last)
{
	const char *after;

	if (last != ')') {
		rest = last == '>' ? rest : skip_brackets(rest, '<');
		rest = skip_brackets(rest, '[');
		after = skip_brackets(rest, '(');
		if (after == rest)
			return !*rest;
		rest = after;
	}
	return !*rest || *rest == ' ' || *rest == '[';
}

const char *cxx_match(const char *demangled, const char *asked)
{
	const size_t length = strlen(asked);
	int depth = 0;

	for (const char *at = demangled; *at; depth += opened(*at++)) {
		const bool begins = at == demangled || strchr(" *&>", at[-1]);
		const char *rest = depth == 0 && begins && *at != ' ' ? skip_same(at, asked) : NULL;

		if (rest && length > 0 && is_end(rest, asked[length - 1]))
			return at;
	}
	return NULL;
}
