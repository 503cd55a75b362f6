/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The rules that say which cause took the time of the gaps. Pure. */

#ifndef CPUCYCLES_BLAME_H
#define CPUCYCLES_BLAME_H

#include "cause.h"
#include "seen.h"

/* A smaller share is not worth a line. */
#define BLAME_SHARE 0.001

/* A line for each cause that gaps show, and for what is left. The number of lines. */
size_t blame_gaps(const struct seen *seen, struct noise_line lines[NOISE_CAUSES]);

/* The largest share first, then what was not seen and what is not known. What is unexplained comes
 * after all that was seen. */
void blame_sort(struct noise_line lines[], size_t n);

/* "other programs" and its like, and for programs "programs". */
const char *blame_name(enum noise_cause cause);
const char *blame_key(enum noise_cause cause);

#endif
