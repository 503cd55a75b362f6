/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void driver_add_exact(struct words *command, const char *option, const char *name,
		      const char *slash)
{
	/* Some libraries refuse ] and }, and others refuse them after a backslash: any letter
	 * fits there. Harnesses also print the names, so no other benchmark is taken for this
	 * one. */
	char *const pattern = malloc((strlen(slash) + 1) * strlen(name) + 3), *to = pattern;
	char *word = NULL;

	if (pattern) {
		*to++ = '^';
		for (const char *at = name; *at; at++) {
			if (strchr("\\.+*?()|[{^$", *at))
				*to++ = '\\';
			if (*at == '/')
				to += strlen(strcpy(to, slash));
			else
				*to++ = strchr("]}", *at) ? '.' : *at;
		}
		strcpy(to, "$");
		word = words_join(option, pattern, "");
	}
	words_take(command, word);
	free(pattern);
}

void driver_add_number(struct words *command, const char *option, double number, const char *unit)
{
	char text[64];

	snprintf(text, sizeof text, "%.6g", number);
	words_take(command, words_join(option, text, unit));
}
