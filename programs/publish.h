/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Whole files or none: what another process reads is the old text, the new one or
 * nothing, whatever happens in between. */

#ifndef CPUCYCLES_PUBLISH_H
#define CPUCYCLES_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>

/* Where a file is published. */
struct publish_place {
	int folder; /* descriptor; -1: not open */
	unsigned wait_ms; /* for another run's lock; PUBLISH_WAIT_MS until the caller changes it */
	char name[256];
};

#define PUBLISH_CREATE 1u  /* make a folder that is missing (only the last one of the path) */
#define PUBLISH_NO_LINK 2u /* the folder itself may be no symbolic link: -ENOTDIR */

/* Open the file's folder. 0 or a negative errno. */
int publish_open(const char *path, unsigned flags, struct publish_place *place);

/* Remove what a killed run left beside the file. 0 or a negative errno, which it says. */
int publish_clean(const struct publish_place *place);

void publish_close(struct publish_place *place);

/* A run takes well under a second. */
#define PUBLISH_WAIT_MS 10000

/*
 * One run at a time writes this file. The lock is a file of its own that
 * nobody else can open, so that nobody else can hold it. Waits, and says so.
 * A descriptor to close, or a negative errno: -ETIMEDOUT after the place's wait_ms.
 */
int publish_lock(const struct publish_place *place);

/* Let the next one in, and leave no lock file beside a file that is not only ours. */
void publish_unlock(const struct publish_place *place, int lock);

/*
 * The text under the name, for everybody to read. Without replace, a file that is
 * already there stays: -EEXIST. may_install, if not NULL, is asked once more when the
 * text is on the disk: -ECANCELED if not. 0 or a negative errno; then nothing has changed.
 */
int publish_text(const struct publish_place *place, bool replace, const char *text, size_t length,
		 bool (*may_install)(const void *), const void *argument);

#endif
