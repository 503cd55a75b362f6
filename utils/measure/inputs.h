/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the linker gets besides the sides: what source texts are compiled into, and the files and
 * libraries of --with. */

#ifndef CPUCYCLES_MEASURE_INPUTS_H
#define CPUCYCLES_MEASURE_INPUTS_H

#include "reason.h"
#include "tools.h"

#include <stdbool.h>
#include <stddef.h>

struct inputs {
	struct tools *tools;
	struct words with; /* files and libraries, as the linker gets them */
	bool cxx;          /* a file is compiled as C++ */
};

/* Whether the compiler is to see the file. */
bool inputs_are_compiled(const char *path);

/* The object of a source text, number i of those of this kind. NULL with *error. */
char *inputs_compile(struct inputs *inputs, const char *path, const char *kind, size_t i,
		     int *error, struct cpucycles_reason *reason);

/* What n times --with names, and what the harness needs. 0 or a negative errno with *reason. */
int inputs_add_with(struct inputs *inputs, const char *const with[], size_t n,
		    struct cpucycles_reason *reason);

#endif
