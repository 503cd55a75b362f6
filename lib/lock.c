/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "lock.h"
#include "checkers.h"
#include "os/clock.h"
#include "os/futex.h"
#include "os/tls.h"
#include "thread.h"

#include <time.h>

/* Much longer than a full probe on the slowest emulated machine known. */
#define LOCK_WAIT_NS (UINT64_C(20) * CLOCK_NS_PER_S)

/* How long one wait lasts, before the owner's thread is looked for again. */
#define LOCK_SLICE_NS 10000000

/* The same where the owner's release wakes nobody. */
#define LOCK_BLIND_SLICE_NS (LOCK_SLICE_NS / 100)

/* How many locks this thread has or is about to take. A fork copies the value of the forking thread
 * only. Plain, because only a signal handler may interrupt a change, and it leaves the value as it
 * found it. */
static _Thread_local volatile int held TLS_MODEL;

/* False: the owner is not this one any more. Counted before the lock is taken, because a signal
 * handler may follow at once. */
static bool take_from(struct lock *lock, int owner, int self)
{
	held = held + 1;
	if (atomic_compare_exchange_strong(&lock->owner, &owner, self)) {
		checkers_acquire(lock);
		return true;
	}
	held = held - 1;
	return false;
}

/* An owner that is another thread with the caller's id is gone, too. */
static bool is_free(int owner, int self)
{
	return owner == 0 || owner == self || !thread_exists(owner);
}

bool lock_is_mine(const struct lock *lock)
{
	return held > 0 && atomic_load(&lock->owner) == thread_id();
}

/* How long the owner has kept the lock meanwhile; 0 if it did not. */
static uint64_t wait_while_owned(struct lock *lock, int owner)
{
	uint64_t ns = LOCK_SLICE_NS;

	if (!futex_wait(&lock->owner, owner, LOCK_SLICE_NS)) {
		nanosleep(&(struct timespec){ .tv_nsec = LOCK_BLIND_SLICE_NS }, NULL);
		ns = LOCK_BLIND_SLICE_NS;
	}
	return atomic_load(&lock->owner) == owner ? ns : 0;
}

/* Whether the caller has waited long enough. A sandbox may refuse the clock: then the waits are
 * added up. *deadline is 0 at first. */
static bool is_over(uint64_t *deadline, uint64_t waited)
{
	uint64_t now;

	if (clock_by_syscall(&now))
		return waited >= LOCK_WAIT_NS;
	if (*deadline == 0)
		*deadline = now + LOCK_WAIT_NS;
	return now >= *deadline;
}

enum lock_answer lock_take(struct lock *lock)
{
	int self = thread_id();
	uint64_t deadline = 0, waited = 0;

	if (thread_is_guest(self))
		return LOCK_GUEST;
	for (;;) {
		const int owner = atomic_load(&lock->owner);

		if (owner == self && held > 0)
			return LOCK_NESTED;
		if (is_free(owner, self)) {
			if (take_from(lock, owner, self))
				return LOCK_TAKEN;
			continue;
		}
		atomic_store(&lock->waiting, 1);
		if (is_over(&deadline, waited))
			return LOCK_TIMEOUT;
		waited += wait_while_owned(lock, owner);
	}
}

void lock_release(struct lock *lock)
{
	checkers_release(lock);
	atomic_store(&lock->owner, 0);
	held = held - 1;
	if (atomic_exchange(&lock->waiting, 0))
		futex_wake_all(&lock->owner);
}
