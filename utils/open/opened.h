/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The record of what cpucycles-open found and wrote in this boot: one of the knobs, and one of what
 * makes the machine quiet. Only this file knows their format. */

#ifndef CPUCYCLES_OPENED_H
#define CPUCYCLES_OPENED_H

#include "machine.h"
#include "publish.h"
#include "setting.h"

struct opened_setting {
	char path[SETTING_PATH_SIZE];
	char found[SETTING_VALUE_SIZE], wrote[SETTING_VALUE_SIZE];
};

struct opened {
	char boot[MACHINE_BOOT_SIZE];
	size_t count, size;
	struct opened_setting *setting; /* the caller's, `size` of them */
};

/* What becomes of a recorded setting when the record is undone. */
enum opened_state {
	OPENED_OURS,    /* it still has the value that we wrote: put back what we found */
	OPENED_BACK,    /* it has the value that we found already */
	OPENED_CHANGED, /* somebody else set it: leave it */
	OPENED_GONE,    /* this kernel does not have it any more */
	OPENED_UNKNOWN  /* it cannot be read */
};

/* The functions from here to opened_parse are pure. */

const struct opened_setting *opened_find(const struct opened *opened, const char *path);

void opened_drop(struct opened *opened, const char *path);

/* The kernel refused an interrupt's new mask. The entry then has the mask that was found twice, so
 * that a later look knows of the refusal, and nothing is put back. */
void opened_refuse(struct opened *opened, const char *path);
bool opened_is_refused(const struct opened *opened, const struct setting *setting);

/* Bring the record up to date before settings are written. If a setting no longer has the value
 * that was written, somebody else has set it since, and its entry is dropped. Then each setting
 * that is to be written and has no entry gets one. How many settings are to be written. */
size_t opened_add(struct opened *opened, const struct settings *settings);

/* error: 0, and the value that the setting has; or why that cannot be read, a negative errno. */
enum opened_state opened_state(const struct opened_setting *setting, int error, const char *value);

/* The length of the text, or 0 if it does not fit. */
size_t opened_format(const struct opened *opened, char *text, size_t size);

/* The number of the first line that is not as opened_format writes it; 0 if all are. */
unsigned opened_parse(const char *text, struct opened *opened);

/*
 * Read the record in that place, of whichever boot. 0, the number of the first wrong line, or a
 * negative errno. -ENOENT: there is none. -EPERM: it is not a regular file that only root can
 * write.
 */
int opened_load(const struct publish_place *place, struct opened *opened);

/* Write the record whole or not at all; remove it if nothing is recorded. 0 or a negative errno. */
int opened_save(const struct publish_place *place, const struct opened *opened);

#endif
