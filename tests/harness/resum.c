/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* resum FILE: write the correct checksum into a cache that a test has edited. */

#include "config.h"

#include "hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char *argv[])
{
	static char text[65536];
	FILE *file = argc == 2 ? fopen(argv[1], "r+") : NULL;
	char *last;
	size_t length;

	if (!file) {
		fprintf(stderr, "usage: resum FILE\n");
		return 2;
	}
	length = fread(text, 1, sizeof text - 1, file);
	last = strstr(text, "\nchecksum ");
	if (!last) {
		fprintf(stderr, "resum: %s: expected a line \"checksum\"\n", argv[1]);
		return 1;
	}
	length = (size_t)(last + 1 - text);
	rewind(file);
	fwrite(text, 1, length, file);
	fprintf(file, "checksum %016" PRIx64 "\n", hash_text(text, length));
	return fclose(file) ? 1 : 0;
}
