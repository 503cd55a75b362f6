/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The rules that say which cause took the time of the gaps, and the names and the order of all
 * causes. Pure. */

#ifndef CPUCYCLES_BLAME_H
#define CPUCYCLES_BLAME_H

#include "cause.h"
#include "seen.h"

/* A smaller share is not worth a line. */
#define BLAME_SHARE 0.001

/* A line for each cause that gaps show, and for what is left. The number of lines. */
size_t blame_gaps(const struct seen *seen, struct noise_line lines[NOISE_CAUSES]);

/* What was seen comes first, then what was not seen, and what is not known. In each, what has gaps
 * comes first. The largest share of these is first, and what is unexplained is last. */
void blame_sort(struct noise_line lines[], size_t n);

/* Whether a share of this cause is not of all the time, but of the rest: what gaps leave. */
bool blame_is_of_rest(enum noise_cause cause);

/* "other programs" and its like, and for programs "programs". */
const char *blame_name(enum noise_cause cause);
const char *blame_key(enum noise_cause cause);

#endif
