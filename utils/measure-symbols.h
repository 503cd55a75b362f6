/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What kind of file somebody has named, and which names it has for functions and variables: from
 * its bytes, which are not trusted. Pure. Where the system has no ELF, nothing is known. */

#ifndef CPUCYCLES_MEASURE_SYMBOLS_H
#define CPUCYCLES_MEASURE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>

struct symbols_file {
	const unsigned char *bytes;
	size_t size;
};

enum symbols_kind {
	SYMBOLS_UNKNOWN,
	SYMBOLS_ARCHIVE, /* of object files, for the linker */
	SYMBOLS_FOREIGN, /* ELF of another word size or byte order than this program */
	SYMBOLS_OBJECT,  /* that is not linked */
	SYMBOLS_PROGRAM,
	SYMBOLS_SHARED, /* a shared object */
	SYMBOLS_SCRIPT, /* of the linker */
	SYMBOLS_TEXT
};

/* *machine: the processor's number in an ELF file, or 0. */
enum symbols_kind symbols_kind(const struct symbols_file *file, unsigned *machine);

struct symbol {
	const char *name;
	bool exported; /* dlsym(3) finds it */
	bool variable; /* and no function */
};

/* Show each symbol that the file itself defines. */
void symbols_each(const struct symbols_file *file,
		  void (*see)(const struct symbol *symbol, void *argument), void *argument);

#endif
