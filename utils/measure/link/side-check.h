/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Whether a file can be a side: its kind, its machine, and which names it has for the function. */

#ifndef CPUCYCLES_MEASURE_SIDE_CHECK_H
#define CPUCYCLES_MEASURE_SIDE_CHECK_H

#include "side.h"

#include <stdbool.h>

/* The function, and what the file may have for it. The first role is the function itself. */
#define SIDE_ROLES 6

struct side_names {
	bool leak; /* the function is tested for leaks */
	char *theirs[SIDE_ROLES], *ours[SIDE_ROLES];
	bool there[SIDE_ROLES];
};

/* Of side number i. 0 or -ENOMEM; side_names_free() in both cases. */
int side_names_make(const struct target *target, size_t i, struct side_names *names);
void side_names_free(struct side_names *names);

/* Look at the target's file, or at what was compiled of it, and see which of the names are there. 0
 * or a negative errno with *reason. */
int side_check_input(const struct target *target, const char *input, const char *harness,
		     struct side_names *names, struct reason_text *reason);

/* The names once more, in the object: not all members of an archive may be there. */
int side_check_object(const struct target *target, const struct side *side,
		      struct side_names *names, struct reason_text *reason);

#endif
