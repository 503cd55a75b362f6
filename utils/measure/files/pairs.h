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
	struct words both;     /* the functions that both files have */
	struct words alone[2]; /* names that only the first has, and only the second */
};

/*
 * Find them in two object files or archives. A function is code that other files may call. What is
 * called for a function, such as f_setup for f, is none itself, and neither is main(). The name of
 * a function in C++ says which parameters it may have, so a function that may have any is left out.
 *
 * patterns: if there are any, only functions whose name fits one of them (fnmatch(3)), whatever C++
 * says. Pure. 0 or -ENOMEM; then there is nothing to free.
 */
int pairs_find(const struct symbols_file files[2], const char *const patterns[],
	       size_t patterns_count, struct pairs *pairs);

/* pairs_find() in the files with these paths. 0; -EINVAL: the functions of a file cannot be listed;
 * -ENOMEM; or why a file cannot be read. Then *which is the number of the file that *reason is
 * about. */
int pairs_read(char *const paths[2], const char *const patterns[], size_t patterns_count,
	       struct pairs *pairs, size_t *which, struct reason_text *reason);

/* Whether a function may have parameters, by what its name says if it is one of C++, Rust or a
 * module of Fortran. Sources: Itanium C++ ABI, 5.1 "External Names"; Rust RFC 2603, "Syntax of
 * mangled names". Only a name of C++ without a scope, such as _Z1fv, says that there are none: a
 * function in a namespace is named as the member of a class is, which has `this`. */
bool pairs_may_have_parameters(const char *name);

void pairs_free(struct pairs *pairs);

#endif
