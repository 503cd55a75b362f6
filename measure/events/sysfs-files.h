/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The files and folders of a PMU in sysfs, or in a tree that a test makes, which may hold anything.
 * Errors are negative errnos. */

#ifndef CPUCYCLES_EVENT_SYSFS_FILES_H
#define CPUCYCLES_EVENT_SYSFS_FILES_H

#include <stdbool.h>

/* Of what sysfs says of an event or of a field. */
#define SYSFS_LINE 1024

/* One line of printable characters, without its end: of the file root/pmu/folder/file, or of
 * root/pmu/folder if file is NULL. 0; -EINVAL: the file holds something else. */
int sysfs_line(const char *root, const char *pmu, const char *folder, const char *file,
	       char line[SYSFS_LINE]);

/* Whether root/pmu/name is there. A name that is empty or ends in a slash names a folder. */
bool sysfs_has(const char *root, const char *pmu, const char *name);

/* Call for each plain name (name.h) in root/pmu/folder, in order, until the call returns something
 * else than 0, which is then returned. pmu and folder may be NULL. */
int sysfs_each(const char *root, const char *pmu, const char *folder,
	       int (*call)(void *context, const char *name), void *context);

#endif
