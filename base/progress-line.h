/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A line on a terminal that says how far a program is. */

#ifndef CPUCYCLES_PROGRESS_LINE_H
#define CPUCYCLES_PROGRESS_LINE_H

#include <stdbool.h>
#include <stdint.h>

/* What takes less time than this needs no line. */
#define PROGRESS_AFTER_NS 1000000000

/* The line changes at most this often: over a slow connection it would delay the program. */
#define PROGRESS_EVERY_NS 250000000

/* Columns: one less than the narrowest usual terminal has, where a full line would wrap. */
#define PROGRESS_COLUMNS 79

struct progress {
	uint64_t begun_ns;
	uint64_t shown_ns; /* when the line was written last; 0: there is none */
};

/* Whether it is late enough for the line or for the next one, and standard error is a terminal. ns:
 * now. */
bool progress_is_due(const struct progress *progress, uint64_t ns);

/* Show the text on standard error, in place of the one before. ns: now. */
void progress_line(struct progress *progress, uint64_t ns, const char text[PROGRESS_COLUMNS + 1]);

/* Remove the line. */
void progress_clear(struct progress *progress);

#endif
