/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A private folder for files that are needed as long as this program runs. */

#ifndef CPUCYCLES_MEASURE_SCRATCH_H
#define CPUCYCLES_MEASURE_SCRATCH_H

#include "reason.h"

#include <sys/types.h>

struct scratch {
	char *path;  /* absolute; NULL: there is none */
	mode_t mask; /* umask(2) before */
};

/*
 * Make it in $TMPDIR, or else in /tmp. If no program may be run from there, $XDG_RUNTIME_DIR is
 * tried. As long as there is a folder, umask(2) takes nothing from the owner, else compiler and
 * linker could not use each other's files, and what is linked could not run. 0 or a negative errno,
 * with *reason.
 */
int scratch_begin(struct scratch *scratch, struct reason_text *reason);

/* The path of a file in it, which is to be freed. NULL: memory ran out. */
char *scratch_file(const struct scratch *scratch, const char *name);

/* Remove it with all that is in it, and restore umask(2). */
void scratch_end(struct scratch *scratch);

#endif
