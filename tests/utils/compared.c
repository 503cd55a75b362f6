/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* compared OLD NEW FUNCTION: prints whether the function is unchanged, for unchanged.sh. */

#include "config.h"

#include "measure/files/unchanged.h"

#include <stdio.h>

int main(int argc, char *argv[])
{
	if (argc != 4)
		return 2;
	puts(unchanged_read((const char *const *)argv + 1, argv[3], argv[3]) ? "unchanged" :
									       "changed");
	return 0;
}
