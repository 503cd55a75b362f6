/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* FUNCTION_setup and the like, where a C++ compiler has given them names of its own. */

#ifndef CPUCYCLES_MEASURE_MISTAKE_HELPER_H
#define CPUCYCLES_MEASURE_MISTAKE_HELPER_H

#include "symbols.h"
#include "target.h"

#include <stdbool.h>

/* Whether the file has, under a name of C++ only, what would be called for the function, such as
 * FUNCTION_setup. Without it, the figures would be those of something else. library: from
 * dlopen(3), where another file may have it; NULL: the file is linked. */
bool mistake_in_helper(const struct target *target, const struct symbols_file *file, void *library,
		       struct cpucycles_reason *reason);

#endif
