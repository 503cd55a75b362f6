/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A side of a comparison: the code of one function with all that its file brings along, as an
 * object in which no name can meet one of another side.
 */

#ifndef CPUCYCLES_MEASURE_SIDE_H
#define CPUCYCLES_MEASURE_SIDE_H

#include "inputs.h"
#include "files/target.h"
#include "tools.h"

#include <stddef.h>

struct side {
	char *object;       /* the path of the side's file */
	struct words codes; /* names of sections of code besides .text*, each once */
	char *section;      /* in which the function lies; NULL if it cannot be moved alone */
	size_t offset;      /* bytes before the function in it, a multiple of the alignment */
	size_t alignment;   /* of this section; if there is none, the largest one of all code */
	bool part;          /* of the program that is linked; link.c sets it */
};

/*
 * Make side number i of a target. input: the object or archive, which is the target's file, or what
 * was prepared of it. with: its files become part of the side, as if a linker made a program of
 * all; NULL: they do not. harness: an object for the machine that is measured. 0 or a negative
 * errno with *reason: -ENOENT: the file or the function is not there. -EINVAL: it cannot be linked.
 * -EPROTOTYPE: the function has other parameters. Or an error of tools_run().
 */
int side_make(struct tools *tools, struct target *target, const char *input,
	      const struct inputs *with, const char *harness, size_t i, struct side *side,
	      struct reason_text *reason);

/* Make side number `to` as a copy of number `from`, which is side *of of the target. 0 or a
 * negative errno. */
int side_copy(struct tools *tools, const struct target *target, const struct side *of, size_t from,
	      size_t to, struct side *side);

void side_free(struct side *side);

#endif
