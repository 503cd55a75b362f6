/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* parse-cache: prints the number of the first wrong line of the cache on standard
 * input, as the library sees it; 0 if it is whole. */

#include "config.h"

#include "cache.h"

#include <stdio.h>

int main(void)
{
	static char text[CACHE_SIZE_MAX];
	static struct cache cache;
	size_t length = fread(text, 1, sizeof text, stdin);

	printf("%u\n", cache_parse(text, length, &cache));
	return 0;
}
