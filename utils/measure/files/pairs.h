/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which functions two files both have, to compare each with its namesake. */

#ifndef CPUCYCLES_MEASURE_PAIRS_H
#define CPUCYCLES_MEASURE_PAIRS_H

#include "reason.h"
#include "symbols.h"
#include "words.h"

#include <stdbool.h>
#include <stddef.h>

/* Names, each once, in the order of their bytes. */
struct pairs {
	struct words names[2]; /* of each file's functions */
	struct words mangled;  /* those of both files that are of C++, to be demangled */
	/* After pairs_choose() */
	struct words both;    /* the functions that both files have, as the linker names them */
	struct words written; /* these, as people write them */
	struct words
		alone[2]; /* names that only the first has, and only the second, as people do */
};

/* List the functions of two object files or archives. A function is code that other files may call,
 * and not main(). Pure. 0 or -ENOMEM. pairs_free() in both cases. */
int pairs_find(const struct symbols_file files[2], struct pairs *pairs);

/* pairs_find() in the files with these paths. 0; -EINVAL: the functions of a file cannot be listed;
 * -ENOMEM; or why a file cannot be read. Then *which is the number of the file that *reason is
 * about. */
int pairs_read(char *const paths[2], struct pairs *pairs, size_t *which,
	       struct reason_text *reason);

/*
 * Choose the functions to compare. demangled: pairs->mangled, as people write them. What is called
 * for a function, such as f_setup for f, is none itself. Of C++, what cxx_is_own() and
 * cxx_is_special() say is taken: functions that people have named. Those of Rust, and of modules of
 * Fortran, are not.
 *
 * patterns: if there are any, only functions whose name fits one of them (fnmatch(3)): the
 * linker's name, whatever it is, or the name that people write, with or without its parameters.
 * Pure. 0 or -ENOMEM.
 */
int pairs_choose(struct pairs *pairs, const struct words *demangled, const char *const patterns[],
		 size_t patterns_count);

/* Choose among names that are not those of functions, such as those of benchmarks: all of both
 * lists, as they are. A pattern that is the name itself fits it, too. Pure. 0 or -ENOMEM. */
int pairs_choose_names(struct pairs *pairs, const char *const patterns[], size_t patterns_count);

/* Whether one of the patterns asks for this very function, and not only for functions with such
 * names: it fits the linker's name, or is what people write, with its parameters if there are any.
 */
bool pairs_is_asked_for(const char *name, const char *written, const char *const patterns[],
			size_t patterns_count);

void pairs_free(struct pairs *pairs);

#endif
