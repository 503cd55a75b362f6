/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Whether a file lies on a local file system, from which a read does not hang. */

#ifndef CPUCYCLES_FILESYSTEM_H
#define CPUCYCLES_FILESYSTEM_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>

/*
 * Whether the open file, whose fstat(2) this is, lies on a file system of this machine. On others,
 * a read can wait for another machine or for a program. Not asked where known, the number of a file
 * system of this machine or 0, is the file's. True where the system does not tell.
 */
bool filesystem_is_local(int fd, const struct stat *status, dev_t known);

/*
 * Open the file with this path below the folder, which was opened with the flags FILESYSTEM_FOLDER.
 * The descriptor or a negative errno. -EXDEV: the path leads to another mount, and the file was not
 * opened. -ENOSYS: this system cannot tell.
 */
#ifdef O_PATH
#define FILESYSTEM_FOLDER (O_DIRECTORY | O_PATH)
#else
#define FILESYSTEM_FOLDER O_DIRECTORY
#endif
int filesystem_open_within(int folder, const char *path, int flags);

#endif
