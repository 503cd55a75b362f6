/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_FILESYSTEM_H
#define CPUCYCLES_FILESYSTEM_H

#include <stdbool.h>
#include <sys/stat.h>

/* Whether the open file, whose fstat(2) this is, lies on a network file system: another machine can
 * change it, and a read can wait for that machine. False where the system does not tell. */
bool filesystem_is_remote(int fd, const struct stat *status);

#endif
