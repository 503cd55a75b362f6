/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What the environment says to the library. Another thread may change the environment at any
 * moment, and a signal handler may interrupt such a change. So the environment is looked at once in
 * a selection, under the guard, and the values are copied.
 */

#ifndef CPUCYCLES_ENVIRONMENT_H
#define CPUCYCLES_ENVIRONMENT_H

#include <stdbool.h>

/* A longer value, its end included, counts as unset. Linux opens no longer path (PATH_MAX). */
#define ENVIRONMENT_VALUE_SIZE 4096

/* How many variables are looked at. What stands after them counts as unset. */
#define ENVIRONMENT_ENTRIES_MAX 65536

enum environment_variable {
	ENVIRONMENT_CACHE,     /* CPUCYCLES_CACHE */
	ENVIRONMENT_COUNTER,   /* CPUCYCLES_COUNTER */
	ENVIRONMENT_PERSECOND, /* cpucyclespersecond */
	ENVIRONMENT_VARIABLES
};

/* Whether the process has more rights than the user who started it, by set-id bits or file
 * capabilities, so that the environment cannot be trusted. Source: getauxval(3), AT_SECURE. */
bool environment_is_hostile(void);

/* Look at the environment and copy the values. Only while the guard is installed, or before other
 * threads exist. If looking faults, or the environment is hostile, all variables count as unset. */
void environment_read(void);

/* The variable's value at the last environment_read. NULL if it was unset or empty. */
const char *environment_get(enum environment_variable variable);

#endif
