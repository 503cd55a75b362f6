/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The files of /proc and /sys, below a root. The caller holds the guard, or is a test. */

#ifndef CPUCYCLES_TREE_H
#define CPUCYCLES_TREE_H

#include <stddef.h>

/*
 * Read what fits into size - 1 bytes, and put a 0 after it. The number of bytes or a negative
 * errno. root: "", in tests a folder with files in its place. The file is not checked to be a
 * regular one: whatever lies there, the open has no effect and the read does not wait (file.h), and
 * on a slow core fstat(2) takes as long as opening the file.
 */
long tree_read(const char *root, const char *path, char *text, size_t size);

#endif
