/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which likely mistake is behind a LIB.so:FUNCTION that cannot be measured, in sentences with what
 * helps. They look at the file, which is not trusted: to be called in the child. */

#ifndef CPUCYCLES_MEASURE_MISTAKE_H
#define CPUCYCLES_MEASURE_MISTAKE_H

#include "measure-target.h"

#include <stdbool.h>

/* The file has not loaded. False: nothing is known but what the dynamic linker says. */
bool mistake_in_file(const struct target *target, struct cpucycles_reason *reason);

/* The library has no such function. */
void mistake_in_name(const struct target *target, struct cpucycles_reason *reason);

/* Whether what was found at this address is a variable of this name. */
bool mistake_is_variable(const struct target *target, const void *address,
			 struct cpucycles_reason *reason);

#endif
