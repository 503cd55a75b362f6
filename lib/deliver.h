/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A signal that is the program's and that a handler of the library got in its place. */

#ifndef CPUCYCLES_DELIVER_H
#define CPUCYCLES_DELIVER_H

#include "os/disposition.h"

/*
 * In a handler: do what the kernel would have done with the signal under the program's disposition.
 * What it blocks stays blocked until the handler returns. SA_RESETHAND is carried out on *program.
 */
void deliver_signal(struct disposition *program, int sig, siginfo_t *info, void *context);

#endif
