/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "ending.h"
#include "guard.h"
#include "hot.h"
#include "os/disposition.h"

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* What ending_let_in lets in. */
static sigset_t ending;

static bool ends_process(int sig)
{
	struct disposition d;

	return sigismember(guard_program_mask(), sig) == 0 && disposition_swap(sig, NULL, &d) &&
	       disposition_action(&d).sa_handler == SIG_DFL;
}

/* Without those that dump core, such as SIGQUIT: they do not end a wait of which the kernel says
 * that only a fatal signal ends it, and FUSE and NFS wait so. */
COLD void ending_let_in(void)
{
	static const int signals[] = { SIGHUP, SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2 };

	sigemptyset(&ending);
	for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
		if (ends_process(signals[i]))
			sigaddset(&ending, signals[i]);
	pthread_sigmask(SIG_UNBLOCK, &ending, NULL);
}

COLD void ending_keep_out(void)
{
	pthread_sigmask(SIG_BLOCK, &ending, NULL);
}
