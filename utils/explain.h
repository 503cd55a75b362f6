/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Words for people. */

#ifndef CPUCYCLES_EXPLAIN_H
#define CPUCYCLES_EXPLAIN_H

#include "inspect.h"

/* Why a counter is out. */
void explain_reason(const struct candidate *candidate, char text[INSPECT_TEXT]);

/* A path as one word of a shell, without what could steer a terminal. */
void explain_path(const char *path, char text[INSPECT_TEXT]);

/* Fill in problem and remedy. */
void explain_cache(struct inspection *inspection);

#endif
