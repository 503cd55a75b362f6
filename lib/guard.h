/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Turns a fault of this thread into an answer. While the guard is installed,
 * SIGILL, SIGFPE, SIGBUS, SIGSEGV, SIGSYS and SIGTRAP that this thread causes inside
 * guard_call end that call; the faults of other threads go to whatever handler the
 * program had. After guard_release, dispositions, signal mask and alternate stack
 * are what they were, byte for byte, but for guard_keep. Dispositions belong to the process, so one
 * thread at a time holds the guard. */

#ifndef CPUCYCLES_GUARD_H
#define CPUCYCLES_GUARD_H

#include "lock.h"

#include <signal.h>
#include <stdbool.h>

struct guard {
	sigset_t mask;    /* the caller's */
	int cancellation; /* the caller's, from pthread_setcancelstate */
	stack_t stack;    /* the caller's alternate stack, disabled meanwhile */
	bool installed;
};

/*
 * Become the holder: no cancellation, and no signal but those of the guard is
 * delivered, until guard_release. Any answer but LOCK_TAKEN changes nothing.
 */
enum lock_answer guard_acquire(struct guard *guard);

/* Only by the holder. False: a sandbox has rt_sigaction fail, so nothing that may fault may run. */
bool guard_install(struct guard *guard);

/* Only while installed. 0, or the signal that ended the call. May be nested. */
int guard_call(void (*call)(void *), void *argument);

/*
 * Only while installed. After the release a handler for sig stays. It
 * lets a thread whose register read faulted (fixup.h) go on behind the read, having called
 * closed() there; whatever else sig is raised for goes to what the program had, now and then.
 * Again in the same process: the handler is left once for each signal, and calls every closed() that it
 * was told, because another thread may still read the register of before.
 */
void guard_keep(int sig, void (*closed)(void));

/* Uninstalls what was installed. Signals of the guard that somebody sent to the
 * holder meanwhile arrive now. */
void guard_release(const struct guard *guard);

#endif
