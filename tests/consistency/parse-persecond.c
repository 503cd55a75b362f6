/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* parse-persecond: prints whose persecond file the library takes standard input for:
 * ours or theirs. */

#include "config.h"

#include "persecond.h"

#include <stdio.h>

int main(void)
{
	static char text[512];
	struct persecond_file file;
	size_t length = fread(text, 1, sizeof text - 1, stdin);

	persecond_parse(text, length, "", &file);
	puts(file.ours ? "ours" : "theirs");
	return 0;
}
