/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Finds a function of C++ by the name that people write, with c++filt of binutils. */

#ifndef CPUCYCLES_MEASURE_NAMES_H
#define CPUCYCLES_MEASURE_NAMES_H

#include "files/target.h"
#include "tools.h"

/* Demangle names of C++, each into a word of the list. 0, or an error of tools_run() with *reason.
 */
int names_demangle(struct tools *tools, const struct words *mangled, struct words *demangled,
		   struct reason_text *reason);

/*
 * Set target->symbol, unless it is known, if the object or archive has the function under a mangled
 * name only, which is added to symbols. 0: so it is, or the name is left as it is, because the file
 * has it, or nothing like it. -ENOENT with *reason: the name is that of several functions, or of
 * one that is static or special (cxx_is_special), or only the last part of the name is there. Or an
 * error of tools_run().
 */
int names_resolve(struct tools *tools, struct target *target, const char *input,
		  struct words *symbols, struct reason_text *reason);

#endif
