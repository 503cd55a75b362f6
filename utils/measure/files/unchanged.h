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

/* Of the files with these paths. stem: what the names of the function's helpers begin with. False:
 * it differs, or that is in doubt. */
bool unchanged_read(const char *const paths[2], const char *function, const char *stem);

#endif
