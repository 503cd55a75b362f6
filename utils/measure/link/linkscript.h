/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The linker's script, which says where the code of each side lies; and the linker's own command,
 * from what a compiler's driver says of it. Pure. */

#ifndef CPUCYCLES_MEASURE_LINKSCRIPT_H
#define CPUCYCLES_MEASURE_LINKSCRIPT_H

#include "files/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* The borders that places are counted from. */
#define LINKSCRIPT_PAGE 4096

/* The section of the program that has the code of all sides. */
#define LINKSCRIPT_SECTION ".text.measured"

/* Room for the name of a side's file. */
#define LINKSCRIPT_NAME 64

/* What the names of side number %zu begin with. All of these are equally long, so that a copy of a
 * side is the same file with another number. */
#define LINKSCRIPT_SIDE "cpucycles_measured_%02zu"

/* The name of the file of side number i. */
void linkscript_name(size_t i, char name[LINKSCRIPT_NAME]);

/* Whether a linker gives borders to sections of this name, see symbols_is_border(): only a name of
 * C has some. */
bool linkscript_has_borders(const char *section);

struct linkscript_side {
	size_t number;
	const char *path; /* of its file, which has the name of linkscript_name() */
	/* A section that comes first, NULL if none has to. It begins `place` bytes after a border.
	 */
	const char *first;
	size_t place;
	size_t gap; /* bytes between it and the others */
	/* The names of sections of code besides .text and .text.*, each once. The first one may be
	 * among them. */
	const struct words *codes;
};

/*
 * Write the script. The sides lie in memory in this order, each after a border of its own.
 * data_padding: bytes between a border of 64 and the sides' data, once in each kind of data. The
 * rest of the program lies where the linker puts it.
 */
void linkscript_write(const struct linkscript_side sides[], size_t n, size_t data_padding,
		      FILE *to);

/*
 * The linker's command, from what `cc ... -###` printed. linker: what takes the place of collect2,
 * which gcc runs and which runs the linker. program: the output file, which has to stand there. The
 * plugin of link-time optimisation is left out, because it takes longer than the rest. False: that
 * is not understood, and *words is empty.
 */
bool linkscript_command(const char *printed, const char *linker, const char *program,
			struct words *words);

/* The next name in a linker's messages that is not defined, in the text from *at on. *length: of
 * the name. NULL: there is none. */
const char *linkscript_undefined(const char **at, size_t *length);

/* The next name that has two definitions, found in the same way. */
const char *linkscript_double(const char **at, size_t *length);

#endif
