/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Waiting for another thread of the process, which may be done in a signal handler. */

#ifndef CPUCYCLES_FUTEX_H
#define CPUCYCLES_FUTEX_H

#include <stdatomic.h>
#include <stdbool.h>

/*
 * Sleep while *word is value, until futex_wake_all, at most ns (below a second). May return
 * early. False: the system, or a sandbox, has no way to wait like that.
 */
bool futex_wait(atomic_int *word, int value, long ns);

/* Wake all threads that sleep in futex_wait for this word. */
void futex_wake_all(atomic_int *word);

#endif
