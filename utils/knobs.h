/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The kernel's knobs that keep counters from users, and which value lets them through. */

#ifndef CPUCYCLES_KNOBS_H
#define CPUCYCLES_KNOBS_H

#include <stdbool.h>
#include <stddef.h>

/* Three sysctls, and one file for each PMU of a hybrid CPU. */
#define KNOBS_MAX 32
#define KNOB_PATH_SIZE 128

struct knob_kind {
	const char *path;   /* one '*' at most, which is a folder's name */
	const char *sysctl; /* its name for sysctl.d(5), or NULL */
	bool (*is_open)(int value);
	int open; /* what opens it; never more than users need */
	const char *gain, *risk;
};

struct knob {
	const struct knob_kind *kind;
	char path[KNOB_PATH_SIZE];
	int error; /* 0, or why it could not be read: a negative errno */
	int value;
};

struct knobs {
	size_t count;
	struct knob knob[KNOBS_MAX];
};

enum knob_state {
	KNOB_OPEN,
	KNOB_CLOSED,
	KNOB_ABSENT,    /* this kernel or this CPU has none */
	KNOB_NEEDLESS,  /* closed, but opening it would gain nothing here */
	KNOB_UNREADABLE
};

/* What a knob's name is: NULL if no knob is called so. */
const struct knob_kind *knob_kind_of(const char *path);

/* Pure: of one of these knobs. */
enum knob_state knob_state(const struct knobs *knobs, const struct knob *knob);

/* The number as the kernel writes it. *text is behind it on success. */
bool knob_parse(const char **text, int *value);

/* All knobs below the root folder, "" for the real ones. */
void knobs_read(const char *root, struct knobs *knobs);

/* 0 or a negative errno. */
int knob_get(const char *root, const char *path, int *value);

/* The same; -EIO if the kernel took it without an error and has another value. */
int knob_set(const char *root, const char *path, int value);

#endif
