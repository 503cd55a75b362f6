/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The files in which the kernel says what it did. A file that a program serves (FUSE) is left
 * alone: lxcfs shows the numbers of a container in place of the machine's, and such a program may
 * hang. */

#ifndef CPUCYCLES_FILES_H
#define CPUCYCLES_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* Read what fits into size - 1 bytes, and put a 0 after it. root: "", in tests a folder with a made
 * /proc and /sys. False: there is nothing. */
bool files_read(const char *root, const char *path, char *text, size_t size);

/* Call take for each line, without its end, until it returns false. A line that does not fit into
 * FILES_LINE is cut. False: the file cannot be read, or it has more lines than any kernel writes.
 */
#define FILES_LINE 131072
typedef bool files_take(char *line, void *argument);
bool files_lines(const char *root, const char *path, files_take *take, void *argument);

#endif
