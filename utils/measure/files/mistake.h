/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The likely reason for a LIB.so:FUNCTION or FILE.o:FUNCTION that cannot be measured, in
 * sentences with what helps. They look at a file that is not trusted, and that another process may
 * cut off meanwhile. */

#ifndef CPUCYCLES_MEASURE_MISTAKE_H
#define CPUCYCLES_MEASURE_MISTAKE_H

#include "symbols.h"
#include "target.h"

#include <stdbool.h>

/* The file has not loaded. False: nothing is known but what the dynamic linker says. */
bool mistake_in_file(const struct target *target, struct reason_text *reason);

/* The library has no such function. */
void mistake_in_name(const struct target *target, struct reason_text *reason);

/* Whether an object file or an archive lacks the function. It may be what was compiled of the
 * target's file. */
bool mistake_in_object(const struct target *target, const struct symbols_file *file,
		       struct reason_text *reason);

/* Whether the file has, under a name of C++ only, what would be called for the function, such as
 * FUNCTION_setup. Without it, something else would be measured. library: from
 * dlopen(3), where another file may have it; NULL: the file is linked. */
bool mistake_in_helper(const struct target *target, const struct symbols_file *file, void *library,
		       struct reason_text *reason);

/* mistake_in_helper() for the file from which the library has the function. */
bool mistake_in_loaded_helper(const struct target *target, void *library,
			      struct reason_text *reason);

/* Whether what was found at this address is a variable of this name. */
bool mistake_is_variable(const struct target *target, const void *address,
			 struct reason_text *reason);

/* Whether the file of a function that is tested for leaks has something else than a size_t where
 * it says how long an input is. */
bool mistake_in_size(const struct target *target, const struct symbols_file *file,
		     struct reason_text *reason);

/* mistake_in_size() for what was found at this address. NULL: nothing was. */
bool mistake_is_no_size(const struct target *target, const void *address,
			struct reason_text *reason);

/* Whether the function has other parameters than a call of the target passes, by target->signature.
 */
bool mistake_in_parameters(const struct target *target, struct reason_text *reason);

/* Say that the file was compiled for link-time optimisation. others: which other files it may be,
 * as words after the path; "": none. -EINVAL. */
int mistake_of_lto(const char *path, const char *others, struct reason_text *reason);

#endif
