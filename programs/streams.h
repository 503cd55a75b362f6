/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Standard input, output and error of a program that writes files. */

#ifndef CPUCYCLES_STREAMS_H
#define CPUCYCLES_STREAMS_H

#include <stdbool.h>

/* Keep files that this program opens from getting the number of a standard stream that its parent
 * closed; output to that stream still fails. And let the work go on when nobody reads the output
 * any more. To be called first. */
void streams_keep_apart(void);

/* Whether standard output could be written. If not, a line says so. */
bool streams_written(void);

#endif
