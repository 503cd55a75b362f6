/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_FILESYSTEM_H
#define CPUCYCLES_FILESYSTEM_H

#include <stdbool.h>
#include <sys/stat.h>

/*
 * Whether the open file, whose fstat(2) this is, lies on a file system of this machine. On others,
 * a read can wait for another machine or for a program. Not asked where known, the number of a file
 * system of this machine or 0, is the file's. True where the system does not tell.
 */
bool filesystem_is_local(int fd, const struct stat *status, dev_t known);

#endif
