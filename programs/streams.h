/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Standard input, output and error of a program that writes files. */

#ifndef CPUCYCLES_STREAMS_H
#define CPUCYCLES_STREAMS_H

#include <stdbool.h>

/* No file of ours may get the number of a stream that is closed (writing there still
 * fails), and nobody who stops reading keeps the work from being done. */
void streams_keep_apart(void);

/* Whether all that went to standard output is written. If not, it is said. */
bool streams_written(void);

#endif
