/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A library that is not linked with ours and knows only the program's pointer. The loader
 * initialises it before our library and ends it afterwards. If the environment names one of these
 * moments, it counts there. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern long long (*cpucycles)(void);

int early_called(void) __attribute__((visibility("default")));

static int called;

static int is_now(const char *moment)
{
	const char *wanted = getenv("MOMENT");

	return wanted && !strcmp(wanted, moment);
}

static void count(const char *moment)
{
	const long long first = cpucycles();

	for (long i = 0; i < 100000000; i++) {
		if (cpucycles() > first) {
			called = 1;
			return;
		}
	}
	fprintf(stderr, "counts stand still in a %s\n", moment);
	_exit(1);
}

__attribute__((constructor)) static void construct(void)
{
	if (is_now("constructor"))
		count("constructor");
}

__attribute__((destructor)) static void destruct(void)
{
	if (!is_now("destructor"))
		return;
	count("destructor");
	_exit(0);
}

int early_called(void)
{
	return called;
}
