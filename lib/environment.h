/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_ENVIRONMENT_H
#define CPUCYCLES_ENVIRONMENT_H

#include <stdbool.h>

/* Whether the process has more rights than the user who started it, by set-id bits or file
 * capabilities, so that the environment cannot be trusted. Source: getauxval(3), AT_SECURE. */
bool environment_is_hostile(void);

/* The variable's value. NULL if it is unset or empty, or if the environment is hostile. */
const char *environment_get(const char *name);

#endif
