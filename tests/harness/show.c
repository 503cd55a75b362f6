/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* show: what the library tells this process, a word per line. */

#include <cpucycles.h>

#include <stdio.h>

int main(void)
{
	long long first = cpucycles();

	printf("implementation %s\n", cpucycles_implementation());
	printf("selection-source %s\n", cpucycles_selection_source());
	printf("cache-status %s\n", cpucycles_cache_status());
	printf("persecond %lld\n", cpucycles_persecond());
	printf("persecond-source %s\n", cpucycles_persecond_source());
	printf("counts %d\n", cpucycles() >= first);
	return 0;
}
