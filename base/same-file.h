/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Whether two paths lead to one file, so that a program does not write one thing over another. */

#ifndef CPUCYCLES_SAME_FILE_H
#define CPUCYCLES_SAME_FILE_H

#include <stdbool.h>

/* Files that are there are compared by device and inode (POSIX, <sys/stat.h>), and paths at which
 * nothing is yet by their folder, which may be missing too, and the name in it. */
bool same_file(const char *a, const char *b);

#endif
