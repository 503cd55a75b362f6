/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Whether a function is the same code in two object files or archives, so that there is nothing to
 * measure: byte for byte, with all that it reaches in its file by relocations, and with what runs
 * before it. Only places in the file and names that nothing outside sees may differ.
 */

#ifndef CPUCYCLES_MEASURE_UNCHANGED_H
#define CPUCYCLES_MEASURE_UNCHANGED_H

#include <stdbool.h>

/* Two files, which are read once for all of their functions. */
struct unchanged;

/* NULL: nothing of the files with these paths can be compared. */
struct unchanged *unchanged_open(const char *const paths[2]);

/* stem: what the names of the function's helpers begin with. False: the function differs, or that
 * is in doubt. */
bool unchanged_is(struct unchanged *files, const char *function, const char *stem);

/* NULL is allowed. */
void unchanged_close(struct unchanged *files);

#endif
