/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Dispositions by libc's sigaction. */

#include "config.h"

#include "os/disposition.h"

#include <stddef.h>

bool disposition_swap(int sig, const struct disposition *new, struct disposition *old)
{
	return !sigaction(sig, new ? &new->action : NULL, old ? &old->action : NULL);
}

struct disposition disposition_make(disposition_function *handler, int flags, const sigset_t *mask)
{
	struct disposition made = { .action = { .sa_sigaction = handler } };

	made.action.sa_flags = SA_SIGINFO | flags;
	sigemptyset(&made.action.sa_mask);
	if (mask)
		made.action.sa_mask = *mask;
	return made;
}

/* POSIX: a program that is told a mask may only ask for one signal after the other. */
static bool masks_are_same(const sigset_t *a, const sigset_t *b)
{
	for (int sig = 1; sig < NSIG; sig++)
		if (sigismember(a, sig) != sigismember(b, sig))
			return false;
	return true;
}

bool disposition_is_same(const struct disposition *a, const struct disposition *b)
{
	return a->action.sa_handler == b->action.sa_handler &&
	       a->action.sa_flags == b->action.sa_flags &&
	       masks_are_same(&a->action.sa_mask, &b->action.sa_mask);
}

disposition_function *disposition_handler(const struct disposition *d)
{
	return d->action.sa_sigaction;
}

void disposition_reset(struct disposition *d)
{
	d->action.sa_handler = SIG_DFL;
}

struct sigaction disposition_action(const struct disposition *d)
{
	return d->action;
}
