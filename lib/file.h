/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Small text files: /proc, /sys, /etc. Nothing here blocks, allocates or prints. */

#ifndef CPUCYCLES_FILE_H
#define CPUCYCLES_FILE_H

#include <stddef.h>

/* Opening a device or a terminal has no effect, and a FIFO never makes wait. */
int file_open(const char *path, int more_flags);

/* file_open, of a regular file only, else -EINVAL. */
int file_open_regular(const char *path);

/* Of what file_open opened: one descriptor at a time. */
void file_close(int fd);

/* guard_call for a step that looks at files: a fault leaves no descriptor behind. */
int file_guard_call(void (*call)(void *), void *argument);

/* One read of at most size - 1 bytes, and a 0 behind them. Bytes read or a negative
 * errno. That is a whole regular file if it fits; of a longer one in /proc, the start. */
long file_fill(int fd, char *buffer, size_t size);

/* file_open_regular, file_fill and file_close in one. */
long file_read(const char *path, char *buffer, size_t size);

#endif
