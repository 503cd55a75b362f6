/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Turns what inspect found into sentences for people, and into commands that mend it. */

#ifndef CPUCYCLES_EXPLAIN_H
#define CPUCYCLES_EXPLAIN_H

#include "inspect.h"

#define EXPLAIN_TEXT 512
#define EXPLAIN_COMMAND (4 * EXPLAIN_TEXT)

/* Why the cache is not in use. Both texts are empty where it is. */
struct explanation {
	char problem[EXPLAIN_TEXT];
	char remedy[EXPLAIN_COMMAND];
};

/* Why a counter is unusable. */
void explain_reason(const struct candidate *candidate, char text[EXPLAIN_TEXT]);

/* The path as one word of a shell command, without characters that could steer a terminal. */
void explain_path(const char *path, char text[EXPLAIN_TEXT]);

void explain_cache(const struct inspection *inspection, struct explanation *explanation);

#endif
