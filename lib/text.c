/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "text.h"

#include <stddef.h>

const char *text_skip(const char *text, const char *words)
{
	for (; *words; text++, words++)
		if (*text != *words)
			return NULL;
	return text;
}

bool text_is(const char *text, const char *words)
{
	for (; *text == *words; text++, words++)
		if (*text == 0)
			return true;
	return false;
}
