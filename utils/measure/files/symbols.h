/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What kind of file this is, and which names and sections it has: from its bytes, which
 * are not trusted. A look takes a time that grows as the size does. Pure. Where the system has no
 * ELF, nothing is known but archives. */

#ifndef CPUCYCLES_MEASURE_SYMBOLS_H
#define CPUCYCLES_MEASURE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

static inline bool symbols_begin(const struct symbols_file *file, const char *text)
{
	return file->size >= strlen(text) && !memcmp(file->bytes, text, strlen(text));
}

/* *machine: the processor's number in an ELF file, or 0. */
enum symbols_kind symbols_kind(const struct symbols_file *file, unsigned *machine);

/* Whether it is an archive whose members lie in files of their own. */
bool symbols_is_thin(const struct symbols_file *file);

/* The next member of an archive, tables of names included. *at is 0 at first. False: there is
 * none. */
bool symbols_member(const struct symbols_file *archive, size_t *at, struct symbols_file *member);

struct symbol {
	const char *name;
	bool exported; /* of an object file: others may use it; of any other: dlsym(3) finds it */
	bool variable; /* and no function */
	bool code;     /* it is a function, or lies in a section of code */
	bool unique;   /* the dynamic linker keeps one of this name */
	size_t size;   /* in bytes; 0: not known */
	/* Of an object file: the section that has it, NULL if none has, and the bytes before it in
	 * this section. */
	const char *section;
	size_t offset;
};

/* Show each symbol that the file itself defines. Of an archive, the symbols of all its members. */
void symbols_each(const struct symbols_file *file,
		  void (*see)(const struct symbol *symbol, void *argument), void *argument);

/* Show each symbol that an object file uses and does not define. Of an archive, those of all its
 * members. */
void symbols_each_needed(const struct symbols_file *file,
			 void (*see)(const struct symbol *symbol, void *argument), void *argument);

/* Whether an ELF file ends before its table of sections does, or an archive within a member, as
 * after a broken copy. */
bool symbols_is_cut(const struct symbols_file *file);

/* The beginnings of the names of a linker's symbols around all sections of one name. */
#define SYMBOLS_START "__start_"
#define SYMBOLS_STOP "__stop_"

/* Whether this is such a symbol: a border of a section, to which all files of a program may add. */
static inline bool symbols_is_border(const char *name)
{
	return !strncmp(name, SYMBOLS_START, sizeof SYMBOLS_START - 1) ||
	       !strncmp(name, SYMBOLS_STOP, sizeof SYMBOLS_STOP - 1);
}

/* The name by which programs look for a shared object. NULL: its file's name. */
const char *symbols_soname(const struct symbols_file *file);

struct symbols_section {
	const char *name;
	bool code;        /* it is in memory, and may be executed */
	bool data;        /* it is in memory, and may not */
	size_t alignment; /* 1 at least */
	size_t size;
};

/* The next section of an ELF file that has a name. *at is 0 at first. False: there is none. */
bool symbols_section(const struct symbols_file *file, size_t *at, struct symbols_section *section);

/* Whether its code is yet to be made, by link-time optimisation. Of an archive: the code of one of
 * its members. */
bool symbols_wait_for_lto(const struct symbols_file *file);

#endif
