/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The files in which Linux tells about the hardware. Every path is below a root, which is "" except
 * in tests. */

#ifndef CPUCYCLES_LINUX_FILES_H
#define CPUCYCLES_LINUX_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LINUX_CPUS "/sys/devices/system/cpu/"
#define LINUX_CPUINFO "/proc/cpuinfo"
#define LINUX_PATH_SIZE 256

/* Puts root and path together. False if they do not fit. */
bool linux_path(char whole[LINUX_PATH_SIZE], const char *root, const char *path);

/* file_read and file_open_regular (file.h), below a root. */
long linux_read(const char *root, const char *path, void *buffer, size_t size);
int linux_open(const char *root, const char *path);

/* No kernel has more CPUs. */
#define LINUX_CPU_LAST 65535

/* The number of the first CPU that is online; 0 where no file tells it. */
unsigned linux_first_cpu(const char *root);

/* The path of a CPU's file in sysfs, and of one of its node in the device tree, where the number is
 * hexadecimal. The name begins with a slash and has at most 64 characters. */
void linux_cpu_path(char path[LINUX_PATH_SIZE], unsigned cpu, const char *name);
void linux_node_path(char path[LINUX_PATH_SIZE], unsigned cpu, const char *name);

/* A line of /proc/cpuinfo is "key<blanks>:value". Returns the value, or NULL if the line has
 * another key. */
const char *linux_value(const char *line, const char *key);

/* Reads a rate in Hz of the device tree: one or two big-endian cells of 32 bits. False if the file
 * is no such number, or no rate (rate_is_sane). Source: the Devicetree Specification, 2.2.4. */
bool linux_cells(const char *root, const char *path, uint64_t *hz);

#endif
