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

/* A handler that the library sets. */
typedef void disposition_function(int sig, siginfo_t *info, void *context);

/* A disposition with this handler, SA_SIGINFO and these flags. mask: what the kernel blocks while
 * the handler runs; NULL: nothing. */
struct disposition disposition_make(disposition_function *handler, int flags, const sigset_t *mask);

/* Whether they are the same, byte for byte where the system tells bytes. */
bool disposition_is_same(const struct disposition *a, const struct disposition *b);

/* The handler, as one that takes three arguments. */
disposition_function *disposition_handler(const struct disposition *d);

/* Set the handler to SIG_DFL. */
void disposition_reset(struct disposition *d);

/* Handler, flags and mask as libc's sigaction would tell them. */
struct sigaction disposition_action(const struct disposition *d);

/* False: it is SIG_DFL or SIG_IGN. */
static inline bool disposition_has_handler(const struct disposition *d)
{
	const struct sigaction action = disposition_action(d);

	return action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN;
}

#endif
