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
	/* The object files and archives of --with: as they are named, and as the linker gets them.
	 */
	struct words named, files;
	bool cxx; /* a file is compiled as C++ */
};

/* The path of the file for the linker, to be freed: a source text is compiled, and of a file with
 * symbol versions there is a copy without them. It is number i of these copies. flags: for the
 * compiler, besides those of the tools; NULL: none. NULL with *error. */
char *inputs_prepare(struct inputs *inputs, const char *path, const char *flags, const char *kind,
		     size_t i, int *error, struct reason_text *reason);

/* Whether an object file or an archive defines the name, so that others may use it. */
bool inputs_define(const char *file, const char *name);

/* Whether a file uses a border of a section, to which all files of a program add. */
bool inputs_need_border(const char *path);

/* What n times --with names, and what the harness needs. 0 or a negative errno with *reason. */
int inputs_add_with(struct inputs *inputs, const char *const with[], size_t n,
		    struct reason_text *reason);

/* Whether a measured file defines a name that a file of --with defines or needs, so that a linker
 * decides in a program which definition each of them gets; or one of them asks for the borders of a
 * section, which has parts of all files in a program. path: how the measured file is named. A
 * file of --with that is named so does not count: it is the measured file itself. file: the
 * measured file as the linker gets it. */
bool inputs_clash(const struct inputs *inputs, const char *path, const char *file);

void inputs_free(struct inputs *inputs);

#endif
