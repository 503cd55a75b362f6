/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_ENVIRONMENT_H
#define CPUCYCLES_ENVIRONMENT_H

#include <stdbool.h>

/* Whether the process has more rights than whoever started it: set-id bits or file
 * capabilities. Source: getauxval(3), AT_SECURE. */
bool environment_is_hostile(void);

/* The variable's value; NULL if unset, empty or the environment is hostile. */
const char *environment_get(const char *name);

#endif
