/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Turns a fault of this thread into an answer. While the guard is installed, a SIGILL, SIGFPE,
 * SIGBUS, SIGSEGV, SIGSYS or SIGTRAP that this thread causes inside guard_call ends that call. The
 * faults of other threads go to the handler that the program had. After guard_release, signal mask
 * and alternate stack are what they were, and so is each disposition, byte for byte, unless
 * guard_keep asked for a handler to stay. Dispositions belong to the process, so one thread at a
 * time holds the guard.
 */

#ifndef CPUCYCLES_GUARD_H
#define CPUCYCLES_GUARD_H

#include "arch/loads.h"
#include "counter.h"
#include "lock.h"

#include <signal.h>
#include <stdbool.h>

/* What guard_release gives back to the calling thread. */
struct guard {
	sigset_t mask;
	int mask_error;   /* an errno: the mask is neither known nor changed */
	int cancellation; /* its state, from pthread_setcancelstate */
	bool installed;   /* in full or in part */
};

/* Sets of signals. Reading files and the environment may raise those of GUARD_BASE: SIGSYS where a
 * sandbox answers a system call, the others where another thread changes the environment. */
#define GUARD_BASE (COUNTER_SIGNAL(SIGSYS) | FAULTS_OF_LOADS)
#define GUARD_ALL \
	(GUARD_BASE | COUNTER_SIGNAL(SIGILL) | COUNTER_SIGNAL(SIGFPE) | COUNTER_SIGNAL(SIGBUS) | \
	 COUNTER_SIGNAL(SIGTRAP))

/*
 * Become the holder. Until guard_release the thread cannot be cancelled, and of all signals only
 * those reach it for which the guard is installed. With an answer other than LOCK_TAKEN, nothing
 * has changed.
 */
enum lock_answer guard_acquire(struct guard *guard);

/* Only by the holder: install the guard for these signals, which contain GUARD_BASE. False, with
 * errno: a sandbox refuses rt_sigaction(2) or rt_sigprocmask(2), so nothing that may fault may be
 * called. */
bool guard_install(struct guard *guard, uint32_t signals);

/* The same for people. */
#define GUARD_REFUSED "a sandbox refuses rt_sigaction or rt_sigprocmask (see cpucycles-sandbox(7))"

/* Only while installed: install the guard for these signals too. False, with errno: a sandbox
 * refuses, so nothing that may raise one of them may be called. */
bool guard_add(uint32_t signals);

/* Only while installed; calls may be nested. 0, or the signal that ended the call. */
int guard_call(void (*call)(void *), void *argument);

/* Only while installed: the signal mask that guard_release gives back. */
const sigset_t *guard_program_mask(void);

/*
 * Only while installed. After the release a handler stays for each of these signals. If a thread
 * faults at a read of a register (fixup.h), the handler calls closed() in that thread and skips the
 * read. The signal's other causes go to what the program had.
 *
 * After a second call in the same process the handler calls both functions, because another thread
 * may still read the first register.
 */
void guard_keep(uint32_t signals, void (*closed)(void));

/* Give everything back. Signals of the guard that somebody sent to the holder meanwhile arrive
 * now. */
void guard_release(const struct guard *guard);

#endif
