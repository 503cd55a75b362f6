/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Publishes whole files: another process reads the old text, the new text or no file, whenever this
 * process is stopped. */

#ifndef CPUCYCLES_PUBLISH_H
#define CPUCYCLES_PUBLISH_H

#include <stdbool.h>
#include <stddef.h>

/* Longer names, with the 0 after them, are refused: files with longer ones stand beside the file.
 */
#define PUBLISH_NAME_SIZE (256 - sizeof "..lock")

/* Where a file is published. */
struct publish_place {
	int folder;       /* descriptor; -1: not open */
	unsigned wait_ms; /* for another run's lock: PUBLISH_WAIT_MS, or what the caller sets */
	unsigned mode;    /* of the file: PUBLISH_MODE, or what the caller sets */
	char name[256];
};

/* Everybody may read the file, whatever the umask is. */
#define PUBLISH_MODE 0644

#define PUBLISH_CREATE 1u  /* make the last folder of the path if it is missing */
#define PUBLISH_NO_LINK 2u /* refuse a last folder that is a symbolic link: -ENOTDIR */

/*
 * Whether what lies in the folder under this name may be replaced by a file that begins with this
 * text and has at most PUBLISH_TEXT_MAX bytes. folder: a descriptor, or AT_FDCWD; then the name is
 * a path.
 * 0: nothing is there, or a regular file that begins so too, or is empty or has null bytes only, as
 * after a power failure. -EEXIST: something else is there, such as a longer file, which
 * somebody may have named by mistake. Another negative errno: what is there is unknown.
 */
int publish_may_replace(int folder, const char *name, const char *beginning);

#define PUBLISH_TEXT_MAX 8192

/* Open the file's folder. 0 or a negative errno. */
int publish_open(const char *path, unsigned flags, struct publish_place *place);

/* Remove the new text that a killed run left next to the file. 0 or a negative errno, which is
 * logged. */
int publish_clean(const struct publish_place *place);

void publish_close(struct publish_place *place);

/* A run takes well under a second. */
#define PUBLISH_WAIT_MS 10000

/*
 * Become the only run that writes this file. The lock is a file of its own that other users cannot
 * open, so none of them can hold it. If this has to wait, a line says so. A descriptor to close, or
 * a negative errno: -ETIMEDOUT after the place's wait_ms.
 */
int publish_lock(const struct publish_place *place);

/* Let the next run in and remove the lock, in a folder that does not belong to this program. */
void publish_unlock(const struct publish_place *place, int lock);

/*
 * Publish the text. 0 or a negative errno; then nothing has changed.
 * replace: whether a file that is already there may be replaced; if not, -EEXIST.
 * may_install: asked when the text is on the disk, unless it is NULL; a negative errno that it
 * returns is the answer.
 */
int publish_text(const struct publish_place *place, bool replace, const char *text, size_t length,
		 int (*may_install)(const struct publish_place *place, const void *argument),
		 const void *argument);

/*
 * The same in pieces. The caller holds the lock of the place all the time.
 * publish_begin: an empty file next to the place. A descriptor to write to, or a negative errno.
 * publish_end: publish it, also in the place of another file. 0 or a negative errno; then nothing
 * has changed. wait: for the disk, so that the text is whole also if the power fails.
 * publish_cancel: remove it.
 */
int publish_begin(const struct publish_place *place);
int publish_end(const struct publish_place *place, int fd, bool wait);
void publish_cancel(const struct publish_place *place, int fd);

/* Lock the open place, let publish work there, unlock and close the place. 0 or a negative errno,
 * of publish_lock or of publish, which gets the argument. */
int publish_alone(struct publish_place *place,
		  int (*publish)(const struct publish_place *place, const void *argument),
		  const void *argument);

#endif
