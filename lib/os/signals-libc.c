/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Whether a signal was sent, by the siginfo_t of POSIX; and raising it again. */

#include "config.h"

#include "os/signals.h"

bool signals_was_sent(const siginfo_t *info)
{
	return info->si_code <= 0 || info->si_code == SI_USER || info->si_code == SI_QUEUE;
}

void signals_send_again(int sig, siginfo_t *info)
{
	(void)info;
	raise(sig);
}

void signals_rearm_stack(const stack_t *stack)
{
	(void)stack; /* no system but Linux disarms one */
}
