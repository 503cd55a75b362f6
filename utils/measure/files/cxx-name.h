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

/* Whether a mangled name may be one that a person has given to a function. Not so are names of the
 * C++ library, of the compiler's own functions and of Rust, and names in another function. */
bool cxx_is_own(const char *mangled);

/* Whether the function is an operator, a destructor or a constructor, or a part of a function, none
 * of which is called by its name. name: demangled, or as people write it. mangled: NULL: unknown;
 * it tells constructors. */
bool cxx_is_special(const char *mangled, const char *name);

/* A demangled name without the result that it may begin with. */
const char *cxx_without_result(const char *demangled);

/* The parameters of a demangled name, after the bracket. NULL: it has none, as no function. */
const char *cxx_parameters(const char *demangled, size_t *length);

/* Whether a demangled name is what was asked for. That may lack the result, the parameters, and the
 * arguments of the template that is the function. Blanks do not count. Returns where the name
 * begins, after the result; or NULL. */
const char *cxx_match(const char *demangled, const char *asked);

#endif
