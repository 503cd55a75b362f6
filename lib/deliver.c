/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "deliver.h"
#include "hot.h"
#include "os/signals.h"

#include <stddef.h>

/* An instruction that faulted runs again after the return and faults again. The other signals
 * would not come again: SIGSYS and SIGTRAP come after their instruction. */
static void die_of(int sig, const siginfo_t *info)
{
	sigaction(sig, &(struct sigaction){ .sa_handler = SIG_DFL }, NULL);
	if (signals_was_sent(info) || sig == SIGSYS || sig == SIGTRAP)
		raise(sig);
}

/* What the kernel blocks while the handler runs. */
static void block_for(const struct sigaction *action, int sig)
{
	sigset_t blocked = action->sa_mask;

	if (!(action->sa_flags & SA_NODEFER))
		sigaddset(&blocked, sig);
	pthread_sigmask(SIG_BLOCK, &blocked, NULL);
}

COLD void deliver_signal(struct disposition *program, int sig, siginfo_t *info, void *context)
{
	const struct sigaction action = disposition_action(program);

	/* The kernel ends a program that ignores a fault of its own. */
	if (action.sa_handler == SIG_IGN && signals_was_sent(info))
		return;
	if (action.sa_handler == SIG_IGN || action.sa_handler == SIG_DFL) {
		die_of(sig, info);
		return;
	}
	if (action.sa_flags & (int)SA_RESETHAND)
		disposition_reset(program);
	block_for(&action, sig);
	if (action.sa_flags & SA_SIGINFO)
		action.sa_sigaction(sig, info, context);
	else
		action.sa_handler(sig);
}
