/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The signal mask of the thread that calls the functions. The library does not ask for it, because
 * it has nothing to do with signals. */

#ifndef CPUCYCLES_MEASURE_MASK_H
#define CPUCYCLES_MEASURE_MASK_H

#include <signal.h>

/* The first signal that one of the masks blocks: a positive number if `after` does, a negative one
 * if `before` does; 0: they are the same. Pure. */
int mask_difference(const sigset_t *before, const sigset_t *after);

/* The difference since the last call. The first call compares with an empty mask. */
int mask_see(void);

#endif
