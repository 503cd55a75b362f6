/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The record of what cpucycles-open found and wrote in this boot: written and read here only. */

#ifndef CPUCYCLES_OPENED_H
#define CPUCYCLES_OPENED_H

#include "knobs.h"
#include "machine.h"
#include "publish.h"

#define OPENED_SIZE_MAX (64 + KNOBS_MAX * (KNOB_PATH_SIZE + 40))

struct opened_knob {
	char path[KNOB_PATH_SIZE];
	int found, wrote;
};

struct opened {
	char boot[MACHINE_BOOT_SIZE];
	size_t count;
	struct opened_knob knob[KNOBS_MAX];
};

/* What of the record is to be put back, given a knob's value or error now. */
enum opened_fate {
	OPENED_OURS,    /* it is what we wrote: put back what we found */
	OPENED_BACK,    /* it is what we found already */
	OPENED_CHANGED, /* somebody else set it: left */
	OPENED_GONE,
	OPENED_UNKNOWN  /* it cannot be read */
};

/* Pure. */

const struct opened_knob *opened_find(const struct opened *opened, const char *path);

/* Add the closed knobs. What was found first stands. How many are to be written. */
size_t opened_add(struct opened *opened, const struct knobs *knobs);

void opened_drop(struct opened *opened, const char *path);

enum opened_fate opened_fate(const struct opened_knob *knob, int error, int value);

/* Length, or 0 if it does not fit. */
size_t opened_format(const struct opened *opened, char *text, size_t size);

/* The number of the first line that is not as opened_format writes it; 0 if all are. */
unsigned opened_parse(const char *text, struct opened *opened);

/*
 * The record in that place, of any boot. 0, a negative errno (-ENOENT: there is none, -EPERM:
 * not root's own regular file), or the number of the first wrong line.
 */
int opened_load(const struct publish_place *place, struct opened *opened);

/* Whole or not at all; a record of nothing is removed. 0 or a negative errno. */
int opened_save(const struct publish_place *place, const struct opened *opened);

#endif
