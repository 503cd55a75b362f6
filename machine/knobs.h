/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The settings of the kernel that keep counters from users, here called knobs, and the values that
 * open them. */

#ifndef CPUCYCLES_KNOBS_H
#define CPUCYCLES_KNOBS_H

#include "setting.h"

#include <stdbool.h>
#include <stddef.h>

/* Three sysctls, and one file for each PMU of a hybrid CPU. */
#define KNOBS_MAX 32
#define KNOB_PATH_SIZE SETTING_PATH_SIZE

struct knob_kind {
	const char *path;        /* may have one '*', which stands for any folder's name */
	const char *sysctl;      /* its name in sysctl.d(5), or NULL if it is no sysctl */
	int least, most;         /* with these values and those between, it is open */
	int open;                /* the value that opens it just as far as users need */
	const char *gain, *risk; /* of opening it */
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
	KNOB_ABSENT,   /* this kernel or this CPU does not have it */
	KNOB_NEEDLESS, /* closed, but opening it would gain nothing here */
	KNOB_UNREADABLE
};

/* The kind of the knob with this path; NULL if there is none. */
const struct knob_kind *knob_kind_of(const char *path);

static inline bool knob_is_open(const struct knob_kind *kind, int value)
{
	return value >= kind->least && value <= kind->most;
}

/* The state of one of these knobs. Pure. */
enum knob_state knob_state(const struct knobs *knobs, const struct knob *knob);

/* The state of the knob that lets users open perf events, perf_event_paranoid. Pure. */
enum knob_state knobs_events(const struct knobs *knobs);

/* Whether a knob is closed that lets users read counters once they have an event. Pure. */
bool knobs_hide_counters(const struct knobs *knobs);

/* Take a number off the text, in the form in which the kernel writes it. *text moves after it.
 * False: there is none, and *text stays. */
bool knob_parse(const char **text, int *value);

/* Whether opening a closed knob would have changed its value in this way. Pure. */
bool knob_would_write(const char *path, const char *found, const char *wrote);

/* Read all knobs. root: "", in tests a folder with files in their place. */
void knobs_read(const char *root, struct knobs *knobs);

#endif
