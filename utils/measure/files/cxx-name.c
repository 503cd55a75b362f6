/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "cxx-name.h"

#include <ctype.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* How demanglers write the scope of what has none. */
#define ANONYMOUS "(anonymous namespace)"

bool cxx_is_name(const char *name)
{
	return strstr(name, "::") || strpbrk(name, "<(");
}

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
	*length = strcspn(part, "<([");
	return part;
}

/* Whether digits in a mangled name are a part of something else than a name's length: of a literal,
 * such as Li3E, or of a substitution, such as S3_. */
static bool is_other_number(const char *at)
{
	return strchr("STn", at[-1]) || at[-2] == 'L';
}

const char *cxx_find_part(const char *mangled, const char *part, size_t length)
{
	const char *at = mangled + strlen("_Z"), *end_of_name = at;

	while (strncmp(mangled, "_Z", 2) == 0 && *at) {
		unsigned long n;
		char *end;

		if (!isdigit((unsigned char)*at)) {
			at++;
			continue;
		}
		n = strtoul(at, &end, 10);
		if (at != end_of_name && is_other_number(at)) {
			at = end;
			continue;
		}
		if (n == length && !strncmp(end, part, length))
			return at;
		at = end_of_name = n <= strlen(end) ? end + n : end;
	}
	return NULL;
}

/* Sources: Itanium C++ ABI, 5.1 "External Names (a.k.a. Mangling)", of which the first letters are
 * also those of Rust's older names: these end in a hash. */
bool cxx_is_own(const char *mangled)
{
	static const char *const others[] = { "9__gnu_cxx*", "10__cxxabiv1*",
					      "*17h????????????????E" };
	const char *at = mangled + strlen("_Z");

	if (strncmp(mangled, "_Z", strlen("_Z")))
		return false;
	if (*at == 'N')
		at += 1 + strspn(at + 1, "rVKRO");
	for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
		if (!fnmatch(others[i], at, 0))
			return false;
	/* Of a module of C++20, names begin with W. */
	return isdigit((unsigned char)*at) || *at == 'W';
}

static bool is_in_word(char letter)
{
	return isalnum((unsigned char)letter) || letter == '_';
}

static bool has_operator(const char *name)
{
	static const char word[] = "operator";

	for (const char *at = name; (at = strstr(at, word)); at++)
		if ((at == name || !is_in_word(at[-1])) && !is_in_word(at[strlen(word)]))
			return true;
	return false;
}

/* Its own name is that of the class, with C and a digit, or CI, in place of another name. */
static bool is_constructor(const char *mangled, const char *part, size_t length)
{
	const char *at = cxx_find_part(mangled, part, length);

	if (!at)
		return false;
	at += strspn(at, "0123456789") + length;
	return (*at == 'C' && (isdigit((unsigned char)at[1]) || at[1] == 'I')) ||
	       (*at == 'I' && (strstr(at, "EC1") || strstr(at, "EC2")));
}

bool cxx_is_special(const char *mangled, const char *name)
{
	size_t length;
	const char *const part = cxx_last_part(cxx_without_result(name), &length);

	return *part == '~' || has_operator(name) || strstr(name, " [clone ") ||
	       (mangled && is_constructor(mangled, part, length));
}

/* The bracket before the parameters. Words such as const may follow them. NULL: there is none. */
static const char *find_parameters(const char *demangled, const char **end)
{
	const char *at = *end = strrchr(demangled, ')');
	int depth = at ? 1 : 0;

	while (depth > 0 && at > demangled) {
		at--;
		depth += (*at == ')') - (*at == '(');
	}
	return depth == 0 ? at : NULL;
}

const char *cxx_parameters(const char *demangled, size_t *length)
{
	const char *end, *const at = find_parameters(demangled, &end);

	if (!at)
		return NULL;
	*length = (size_t)(end - at) - 1;
	return at + 1;
}

const char *cxx_without_result(const char *demangled)
{
	const char *end, *const parameters = find_parameters(demangled, &end), *name = demangled;
	int depth = 0;

	/* Its own name may have blanks, and has no result before it. */
	if (has_operator(demangled))
		return demangled;
	for (const char *at = demangled; parameters && at < parameters; depth += opened(*at++))
		if (depth == 0 && *at == ' ')
			name = at + 1;
	return name;
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
