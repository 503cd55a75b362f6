/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "lock.h"
#include "os/clock.h"
#include "os/futex.h"
#include "thread.h"

#include <time.h>

/* Much longer than a full probe on the slowest emulated machine known. */
#define LOCK_WAIT_NS (UINT64_C(20) * CLOCK_NS_PER_S)

/* How long one wait lasts, before the owner's thread is looked for again. */
#define LOCK_SLICE_NS 10000000

/* The same where the owner's release wakes nobody. */
#define LOCK_BLIND_SLICE_NS (LOCK_SLICE_NS / 100)

static void wait_while_owned(struct lock *lock, int owner)
{
	if (!futex_wait(&lock->owner, owner, LOCK_SLICE_NS))
		nanosleep(&(struct timespec){ .tv_nsec = LOCK_BLIND_SLICE_NS }, NULL);
}

enum lock_answer lock_take(struct lock *lock)
{
	int self = thread_id();
	uint64_t now, deadline = 0;

	if (thread_is_guest(self))
		return LOCK_GUEST;
	for (;;) {
		int owner = 0;

		if (atomic_compare_exchange_strong(&lock->owner, &owner, self))
			return LOCK_TAKEN;
		if (owner == self)
			return LOCK_NESTED;
		if (!thread_exists(owner) &&
		    atomic_compare_exchange_strong(&lock->owner, &owner, self))
			return LOCK_TAKEN;
		atomic_store(&lock->waiting, 1);
		clock_by_syscall(&now);
		if (deadline == 0)
			deadline = now + LOCK_WAIT_NS;
		if (now >= deadline)
			return LOCK_TIMEOUT;
		wait_while_owned(lock, owner);
	}
}

void lock_release(struct lock *lock)
{
	atomic_store(&lock->owner, 0);
	if (atomic_exchange(&lock->waiting, 0))
		futex_wake_all(&lock->owner);
}
