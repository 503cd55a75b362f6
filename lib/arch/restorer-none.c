/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* An architecture where the kernel itself brings the code that a signal handler returns to. */

#include "config.h"

#include "arch/sigaction.h"

#if defined(__x86_64__) || defined(__i386__) || defined(__arc__)
#error "here a disposition needs a restorer"
#endif

void sigaction_add_restorer(struct kernel_sigaction *action)
{
	(void)action;
}
