/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The list of events that --list prints. */

#ifndef CPUCYCLES_MEASURE_LIST_H
#define CPUCYCLES_MEASURE_LIST_H

#include <stddef.h>
#include <stdio.h>

/* The names of all events, or of the events that have this word, with what is known of each.
 * *listed: how many. 0 or a negative errno. */
int list_print(const char *word, FILE *to, size_t *listed);

#endif
