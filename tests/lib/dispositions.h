/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The kernel's disposition of each signal, as bytes, and dispositions of several forms. */

#ifndef CPUCYCLES_DISPOSITIONS_H
#define CPUCYCLES_DISPOSITIONS_H

#include "faults.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/syscall.h>
#endif

/* The kernel's number of signals. MIPS has more than other architectures (its asm/signal.h). */
#if defined(__linux__) && defined(__mips__)
#define SIGNALS 128
#else
#define SIGNALS 64
#endif

/* On SPARC, the call has another argument before the size. DISPOSITION_LINUX is not asked, so that
 * a wrong choice by configure is seen. */
#if defined(SYS_rt_sigaction) && !THREAD_SANITIZED && !defined(__sparc__)
#define RAW_DISPOSITIONS
struct raw {
	unsigned char bytes[128];
};

__attribute__((unused)) static void read_raw(struct raw all[SIGNALS])
{
	memset(all, 0, SIGNALS * sizeof all[0]);
	for (int sig = 1; sig <= SIGNALS; sig++)
		syscall(SYS_rt_sigaction, sig, NULL, &all[sig - 1], SIGNALS / 8);
}
#endif

static void on_nothing(int sig)
{
	(void)sig;
}

static void on_info(int sig, siginfo_t *info, void *context)
{
	(void)sig, (void)info, (void)context;
}

/* Set handlers of several forms, and two that no libc would write. */
__attribute__((unused)) static void set_dispositions(void)
{
	struct sigaction action = { .sa_sigaction = on_info };

	action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR2);
	sigaction(SIGSEGV, &action, NULL);
	action.sa_flags = SA_SIGINFO | SA_NODEFER | (int)SA_RESETHAND;
	sigfillset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
	signal(SIGILL, on_nothing);
	signal(SIGTRAP, SIG_IGN);
	signal(SIGUSR1, on_nothing);
#ifdef RAW_DISPOSITIONS
	struct raw odd = { { 0 } };

	((unsigned long *)(void *)odd.bytes)[0] = 1; /* SIG_IGN, as the handler is the first word */
	((unsigned long *)(void *)odd.bytes)[1] = SA_NODEFER;
	syscall(SYS_rt_sigaction, SIGFPE, &odd, NULL, SIGNALS / 8);
	/* The default action, with a restorer; a mask where the kernel has no restorer. */
	memset(&odd, 0, sizeof odd);
	((unsigned long *)(void *)odd.bytes)[2] = 0x1200;
	syscall(SYS_rt_sigaction, SIGSYS, &odd, NULL, SIGNALS / 8);
#endif
}

#endif
