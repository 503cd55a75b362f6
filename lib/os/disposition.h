/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What the kernel holds for a signal, so that it can be given back byte for byte. libc's
 * sigaction cannot do that: it adds a restorer and a flag for it. disposition-linux.c asks the
 * kernel itself; disposition-libc.c is for systems where only libc can.
 */

#ifndef CPUCYCLES_DISPOSITION_H
#define CPUCYCLES_DISPOSITION_H

#include <signal.h>
#include <stdbool.h>

#ifdef DISPOSITION_LINUX /* by configure: disposition-linux.c is linked */
#include "arch/sigaction.h"
struct disposition {
	struct kernel_sigaction kernel;
};
#else
struct disposition {
	struct sigaction action;
};
#endif

/*
 * In one step, set the signal's disposition to *new and store the one that was there in *old.
 * Either may be NULL. False: the system refuses, and nothing has changed.
 */
bool disposition_swap(int sig, const struct disposition *new, struct disposition *old);

/* The handler, SIG_DFL or SIG_IGN. */
void (*disposition_handler(const struct disposition *d))(int);
void disposition_set_handler(struct disposition *d, void (*handler)(int));

/* Handler, flags and mask as libc's sigaction would tell them. */
struct sigaction disposition_action(const struct disposition *d);

#endif
