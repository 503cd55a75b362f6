/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A locale whose decimal separator is a comma. No such locale has to be installed: this writes the
 * one file of glibc's that is needed (locale/loadlocale.c). */

#ifndef CPUCYCLES_COMMA_H
#define CPUCYCLES_COMMA_H

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMA_MAGIC (UINT32_C(0x20031115) ^ LC_NUMERIC)

static bool comma_write(const char *path)
{
	/* Offsets of the separator, the thousands separator (none), the grouping (none), both
	 * separators as wide characters, and the character set. */
	const struct {
		uint32_t magic, items, offsets[6], comma, none;
		char texts[12];
	} file = {
		.magic = COMMA_MAGIC,
		.items = 6,
		.offsets = { 40, 42, 42, 32, 36, 44 },
		.comma = ',',
		.texts = ",\0\0\0UTF-8",
	};
	FILE *to = fopen(path, "w");

	return to && fwrite(&file, sizeof file, 1, to) == 1 && !fclose(to);
}

/* Choose it for this process; its file is then no longer needed. False: this libc has no such
 * thing. */
static bool comma_set(void)
{
	char folder[] = "/tmp/cpucycles-comma.XXXXXX", path[64], text[8];
	bool set;

	if (!mkdtemp(folder))
		return false;
	snprintf(path, sizeof path, "%s/comma", folder);
	mkdir(path, 0755);
	strcat(path, "/LC_NUMERIC");
	set = comma_write(path) && !setenv("LOCPATH", folder, 1) && setlocale(LC_NUMERIC, "comma");
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	rmdir(folder);
	unsetenv("LOCPATH");
	snprintf(text, sizeof text, "%.1f", 0.5);
	return set && !strcmp(text, "0,5");
}

#endif
