/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Whether somebody sent a signal, and sending one on with the sender that it had. */

#include "config.h"

#include "os/signals.h"
#include "thread.h"

#include <stddef.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef __linux__
#error "Linux only"
#endif

/* From linux/signal.h, which cannot be included together with libc's signal.h. */
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

bool signals_was_sent(const siginfo_t *info)
{
	return info->si_code <= 0;
}

void signals_send_again(int sig, siginfo_t *info)
{
	/* A sandbox may make getpid fail with a negative answer, which kill(2) would take for every
	 * process. */
	const pid_t self = getpid();

	if (info->si_code != SI_TKILL && self > 0) {
		/* To the process, where any thread may wait for the signal. Only its first thread
		 * may name another sender. */
		if (syscall(SYS_rt_sigqueueinfo, self, sig, info))
			kill(self, sig);
		return;
	}
	if (!syscall(SYS_rt_tgsigqueueinfo, self, thread_id(), sig, info))
		return;
	/* raise() asks for the process's id again. */
	if (self <= 0 && !syscall(SYS_tkill, thread_id(), sig))
		return;
	raise(sig);
}

void signals_rearm_stack(const stack_t *stack)
{
	if (stack->ss_flags & (int)SS_AUTODISARM)
		sigaltstack(stack, NULL);
}
