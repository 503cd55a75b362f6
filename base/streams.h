/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Standard input, output and error of a program that writes files, and pipes between programs. */

#ifndef CPUCYCLES_STREAMS_H
#define CPUCYCLES_STREAMS_H

#include <stdbool.h>
#include <stdio.h>

/* Let a write beyond the limit of the size of files (ulimit -f) fail with EFBIG, as one to a full
 * disk does, instead of ending the program by SIGXFSZ. Each program calls this or the next one
 * first. */
void streams_outlive_limit(void);

/* Keep files that this program opens from getting the number of a standard stream that its parent
 * closed; output to that stream still fails. Let the work go on when nobody reads the output
 * any more. Outlive the limit, too. To be called first. */
void streams_keep_apart(void);

/* In a child that runs what is not ours: what is ignored for these is as this program found it. */
void streams_give_back(void);

/* Whether standard output could be written. If not, a line says so. */
bool streams_written(void);

/* A pipe whose ends no program gets that is started. 0, or a negative errno with -1 in both ends.
 */
int streams_pipe(int ends[2]);

/* Close a file that was written, from an errno of 0 on. 0 or a negative errno. */
int streams_close(FILE *file);

#endif
