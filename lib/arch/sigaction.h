/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What rt_sigaction(2) reads and writes on Linux: the kernel's struct sigaction, which is not
 * libc's. Sources: the kernel's include/linux/signal_types.h, and for MIPS its asm/signal.h. A
 * 32-bit program on a 64-bit kernel has the same layout (struct compat_sigaction). */

#ifndef CPUCYCLES_SIGACTION_H
#define CPUCYCLES_SIGACTION_H

#include <signal.h>

#if defined(__mips__)

#define KERNEL_SIGSET_SIZE 16 /* bytes */

struct kernel_sigaction {
	unsigned flags;
	void (*handler)(int, siginfo_t *, void *);
	unsigned char mask[KERNEL_SIGSET_SIZE];
};

#else

#define KERNEL_SIGSET_SIZE 8 /* bytes */

/* The newer architectures return from a handler without a restorer. */
#if defined(__riscv) || defined(__loongarch__) || defined(__csky__) || defined(__or1k__) || \
	defined(__hppa__) || defined(__ia64__)
struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	unsigned char mask[KERNEL_SIGSET_SIZE];
	unsigned long unused; /* qemu-user 7.2 has a restorer here too, and writes a word more */
};
#else
struct kernel_sigaction {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	unsigned char mask[KERNEL_SIGSET_SIZE];
};
#endif

#endif

/* Where a handler's return needs code of the program, name this code. */
void sigaction_add_restorer(struct kernel_sigaction *action);

#endif
