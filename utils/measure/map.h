/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The bytes of a file. If somebody cuts the file off meanwhile, a look at them ends the process. */

#ifndef CPUCYCLES_MEASURE_MAP_H
#define CPUCYCLES_MEASURE_MAP_H

#include "symbols.h"

/* 0; a negative errno: -ENODATA for an empty file, -EISDIR or -EINVAL for what is no file. Then
 * there are no bytes. */
int map_file(const char *path, struct symbols_file *file);

/* What is wrong, for a sentence. */
const char *map_error(int error);

void map_end(const struct symbols_file *file);

#endif
