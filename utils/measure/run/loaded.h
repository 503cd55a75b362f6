/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Whether a file that was loaded got the libraries that it asks for. The dynamic linker takes a
 * library that is already there for any later one of the same name (DT_SONAME). So of two files
 * that each bring a library of that name, the second one gets the first one's.
 */

#ifndef CPUCYCLES_MEASURE_LOADED_H
#define CPUCYCLES_MEASURE_LOADED_H

#include "reason.h"

#include <stdbool.h>

/* Look at a file that dlopen(3) has just loaded, and at all that it needs. False: it has got
 * another library than in a process of its own, and *reason says which one. Where the system's
 * dynamic linker does not tell, the answer is true. */
bool loaded_is_own(void *library, struct cpucycles_reason *reason);

#endif
