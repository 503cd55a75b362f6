/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The bytes of a file. */

#ifndef CPUCYCLES_MEASURE_MAP_H
#define CPUCYCLES_MEASURE_MAP_H

#include "symbols.h"

/* A copy of all bytes: of a file that gets shorter meanwhile, mapped bytes would end the
 * process. Files of more than 64 MiB are mapped nevertheless. 0; a negative errno: -ENODATA for an
 * empty file, -EISDIR or -EINVAL for what is no file. Then there are no bytes. */
int map_file(const char *path, struct symbols_file *file);

/* map_file() with the first bytes only, which say whether it is an object file, an archive or a
 * text. A shared object may be very long. */
int map_beginning(const char *path, struct symbols_file *file);

void map_end(const struct symbols_file *file);

/* map_file() for a child that loads the file: the file is mapped, because a copy of a very long
 * shared object would take time in each child. The dynamic linker maps the file, too, so a
 * file that gets shorter ends the child anyway, and the parent says so. */
int map_loaded(const char *path, struct symbols_file *file);

void map_loaded_end(const struct symbols_file *file);

/* What is wrong, for a sentence. */
const char *map_error(int error);

#endif
