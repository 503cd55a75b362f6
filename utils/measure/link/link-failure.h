/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What link.c has made so far, for link-failure.c. */

#ifndef CPUCYCLES_MEASURE_LINK_MADE_H
#define CPUCYCLES_MEASURE_LINK_MADE_H

#include "inputs.h"
#include "side.h"

struct link {
	struct tools tools;
	const char *harness;
	struct target *targets;
	struct side *sides; /* n of them */
	size_t n;
	char **inputs; /* of each side: the object or archive */
	struct inputs besides;
	bool bfd;            /* the compiler's usual linker does not know what is needed */
	bool without_unused; /* what nobody needs is left out */
	bool apart;          /* the files of --with are part of each side */
	char *script, *program;
	struct words command; /* what links all sides */
};

/* Say what is wrong. *which: the target that it is about; it stays if it is about none. A negative
 * errno. */
int link_say_failure(struct link *link, size_t *which, struct cpucycles_reason *reason);

/* Whether the linker says that one file is given twice, or two have the same name for something. */
bool link_is_double(const char *output);

#endif
