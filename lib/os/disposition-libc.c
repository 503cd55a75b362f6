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

void (*disposition_handler(const struct disposition *d))(int)
{
	return d->action.sa_handler;
}

void disposition_set_handler(struct disposition *d, void (*handler)(int))
{
	d->action.sa_handler = handler;
}

struct sigaction disposition_action(const struct disposition *d)
{
	return d->action;
}
