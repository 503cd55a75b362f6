/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "xml.h"

#include <string.h>

const char *xml_next(const char *at)
{
	const char *const found = strchr(at, '<');

	return found ? found + 1 : NULL;
}

bool xml_begins(const char *at, const char *name)
{
	const size_t length = strlen(name);

	return !strncmp(at, name, length) && strchr(" \t\r\n/>", at[length]);
}

bool xml_ends(const char *at, const char *name)
{
	return *at == '/' && xml_begins(at + 1, name);
}

/* Where the value of the attribute begins. Values may have the sign of an element's end. */
static const char *find_value(const char *at, const char *name)
{
	const size_t length = strlen(name);

	at += strcspn(at, " \t\r\n/>");
	at += strspn(at, " \t\r\n");
	while (*at && *at != '>' && *at != '/') {
		const bool found = !strncmp(at, name, length) && at[length] == '=';

		at += strcspn(at, "\"");
		at += *at == '"';
		if (found)
			return *at ? at : NULL;
		at += strcspn(at, "\"");
		at += *at == '"';
		at += strspn(at, " \t\r\n");
	}
	return NULL;
}

bool xml_attribute(const char *at, const char *name, char *text, size_t room)
{
	static const char *const written[] = { "&amp;", "&lt;", "&gt;", "&quot;", "&apos;" };
	const char *value = find_value(at, name);
	size_t n = 0, i;

	if (!value)
		return false;
	for (; *value && *value != '"' && n + 1 < room; n++) {
		for (i = 0; i < 5 && strncmp(value, written[i], strlen(written[i])); i++)
			;
		text[n] = i < 5 ? "&<>\"'"[i] : *value;
		value += i < 5 ? strlen(written[i]) : 1;
	}
	text[n] = 0;
	return true;
}
