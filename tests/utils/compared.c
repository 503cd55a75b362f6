/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* compared OLD NEW FUNCTION: prints whether the function is unchanged, for unchanged.sh. */

#include "config.h"

#include "measure/files/unchanged.h"

#include <stdio.h>

int main(int argc, char *argv[])
{
	struct unchanged *files;

	if (argc != 4)
		return 2;
	files = unchanged_open((const char *const *)argv + 1);
	puts(files && unchanged_is(files, argv[3], argv[3]) ? "unchanged" : "changed");
	unchanged_close(files);
	return 0;
}
