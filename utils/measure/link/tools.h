/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The compiler and the programs of binutils, as they are needed to link what is measured. */

#ifndef CPUCYCLES_MEASURE_TOOLS_H
#define CPUCYCLES_MEASURE_TOOLS_H

#include "command.h"
#include "scratch.h"
#include "files/words.h"
#include "reason.h"

#include <stdbool.h>

struct tools {
	struct scratch scratch; /* the folder of all that is made */
	struct words flags;     /* for the compiler */
	unsigned seconds;       /* that one command may take */
	char *linker;           /* which makes one object of many */
	char *objcopy;
	struct command command; /* the last one */
};

/* flags: words with blanks between them; NULL: none are given. seconds: 0 for a default. 0 or a
 * negative errno, with *reason; tools_end() in both cases. */
int tools_begin(struct tools *tools, const char *flags, unsigned seconds,
		struct reason_text *reason);

/*
 * Run a command. 0: it has ended, and tools->command has its status and output. Else a negative
 * errno with *reason: -ENOTSUP: there is no such program. -ENOSPC: it had no room. -EFBIG: a file
 * got too large. -ETIMEDOUT. -EINTR: this program is asked to end.
 */
int tools_run(struct tools *tools, const struct words *words, struct reason_text *reason);

/* What a driver's -print-prog-name= says of the program. *answer: to be freed; NULL: the driver
 * does not say it. 0, or an error as of tools_run(). */
int tools_ask(struct tools *tools, const struct words *driver, const char *program, char **answer,
	      struct reason_text *reason);

/* Whether the last command says that an archive's names have no index. */
bool tools_lack_index(const struct tools *tools);

/* Begin a command with the compiler: $CC, or $CXX for C++. */
void tools_add_compiler(struct words *words, bool cxx);

/* Whether the file's name ends like the name of a source text that is compiled. *cxx: as C++. */
bool tools_is_source(const char *path, bool *cxx);

/* Compile the source text into the object. flags: as of tools_begin(), besides these; NULL: none. 0
 * or a negative errno with *reason: -EINVAL: the compiler refuses it, and has said why on standard
 * error. */
int tools_compile(struct tools *tools, const char *path, const char *flags, const char *object,
		  struct reason_text *reason);

void tools_end(struct tools *tools);

#endif
