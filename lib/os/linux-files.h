/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The files in which Linux tells about the hardware. Every path is below a root, which is "" except
 * in tests. */

#ifndef CPUCYCLES_LINUX_FILES_H
#define CPUCYCLES_LINUX_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINUX_CPU0 "/sys/devices/system/cpu/cpu0/"
#define LINUX_CPUINFO "/proc/cpuinfo"
#define LINUX_PATH_SIZE 256

/* Puts root and path together. False if they do not fit. */
bool linux_path(char whole[LINUX_PATH_SIZE], const char *root, const char *path);

/* file_read and file_open_regular (file.h), below a root. */
long linux_read(const char *root, const char *path, void *buffer, size_t size);
int linux_open(const char *root, const char *path);

/* A line of /proc/cpuinfo is "key<blanks>:value". Returns the value, or NULL if the line has
 * another key. */
const char *linux_value(const char *line, const char *key);

/* Reads a number of the device tree: one or two big-endian cells of 32 bits. False if the file is
 * no such number. Source: the Devicetree Specification, 2.2.4. */
bool linux_cells(const char *root, const char *path, uint64_t *number);

#endif
