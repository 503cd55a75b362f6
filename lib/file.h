/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Small text files: /proc, /sys, /etc. Nothing here allocates or prints, and nothing waits except
 * for a file system. */

#ifndef CPUCYCLES_FILE_H
#define CPUCYCLES_FILE_H

#include <stddef.h>
#include <sys/stat.h>

/*
 * Open for reading. Safe for any path: the open has no effect on a device or a terminal, and
 * neither it nor a read waits for a FIFO's other end. The descriptor or a negative errno.
 *
 * A file of /proc or /sys that a program serves through FUSE is not opened, because open(2) would
 * wait for ever if that program does not answer: -EREMOTE. In containers, lxcfs is such a program.
 */
int file_open(const char *path, int more_flags);

/* The same, without the look at the mounts that this takes, which costs a first call more than the
 * file. */
int file_open_unasked(const char *path, int more_flags);

/* For a program that opens many files of /proc and /sys: read the list of mounts now. If FUSE has
 * no mount there, later files are opened without a look at their mounts. */
void file_look_at_mounts(void);

/* The same for a regular file, with its fstat(2). -EINVAL if it is anything else. */
int file_open_regular(const char *path, struct stat *status);

/* Close what file_open opened. Only one descriptor may be open at a time. */
void file_close(int fd);

/* guard_call for a step that opens files: if the call faults, the descriptor that it had open is
 * closed. */
int file_guard_call(void (*call)(void *), void *argument);

/* Read at most size bytes by one read(2). The number of bytes or a negative errno. */
long file_take(int fd, char *buffer, size_t size);

/* The same with size - 1 bytes and a 0 after them. One read gets the whole of a regular file that
 * fits; of a file in /proc that does not fit, the start. */
long file_fill(int fd, char *buffer, size_t size);

/* The same, and close the file. A descriptor that is a negative errno is the answer. */
long file_fill_once(int fd, char *buffer, size_t size);

/* file_open_regular and file_fill_once. */
long file_read(const char *path, char *buffer, size_t size);

/*
 * The text of /proc/cpuinfo, at least its first processor's block, if a program has read it
 * already: making it takes the kernel of a slow machine milliseconds. NULL: whoever needs it reads
 * the file, and so for a root that is not "".
 */
void file_lend_cpuinfo(const char *text);
const char *file_lent_cpuinfo(const char *root);

#endif
