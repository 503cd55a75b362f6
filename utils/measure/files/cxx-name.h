/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Names of functions of C++, as people write them and as compilers mangle them. Pure. */

#ifndef CPUCYCLES_MEASURE_CXX_NAME_H
#define CPUCYCLES_MEASURE_CXX_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a name has what a name of C has not: a scope, arguments of a template, or parameters. */
bool cxx_is_name(const char *name);

/* The last part of a name, without arguments and parameters: f of ns::f<1>(int). Of a name of C,
 * the name. */
const char *cxx_last_part(const char *name, size_t *length);

/* Where a mangled name has this part: before its length. NULL: it does not have it. */
const char *cxx_find_part(const char *mangled, const char *part, size_t length);

/* Whether a demangled name is what was asked for. That may lack the result, the parameters, and the
 * arguments of the template that is the function. Blanks do not count. Returns where the name
 * begins, after the result; or NULL. */
const char *cxx_match(const char *demangled, const char *asked);

#endif
