/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Archives, and what else is no ELF. From their bytes, which are not trusted. Pure. */

#ifndef CPUCYCLES_MEASURE_ARCHIVE_H
#define CPUCYCLES_MEASURE_ARCHIVE_H

#include "symbols.h"

#include <stdbool.h>
#include <stddef.h>

/* Whether it is an archive whose members lie in files of their own. */
bool symbols_is_thin(const struct symbols_file *file);

/* The next member of an archive, tables of names included. *at is 0 at first. False: there is
 * none. */
bool symbols_member(const struct symbols_file *archive, size_t *at, struct symbols_file *member);

/* Of a file that is no ELF, and of an archive: see symbols_kind() and symbols_is_cut(). */
enum symbols_kind symbols_kind_without_elf(const struct symbols_file *file);
bool symbols_archive_is_cut(const struct symbols_file *file);

#endif
