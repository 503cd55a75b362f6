/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "lock.h"
#include "os/clock.h"
#include "thread.h"

#include <errno.h>
#include <time.h>

#ifdef __linux__
#include <sys/syscall.h>
#include <unistd.h>
#endif

/* A full probe takes well under this on the slowest emulated machine known. */
#define LOCK_WAIT_NS (UINT64_C(20) * CLOCK_NS_PER_S)

/* linux/futex.h, which not every libc brings. */
#define LOCK_FUTEX_WAIT 128 /* FUTEX_WAIT | FUTEX_PRIVATE_FLAG */
#define LOCK_FUTEX_WAKE 129

/* How long one wait lasts before the owner is looked at again. */
#define LOCK_SLICE_NS 10000000

#if defined(SYS_futex)
#define LOCK_FUTEX SYS_futex
#elif defined(SYS_futex_time64)
#define LOCK_FUTEX SYS_futex_time64
#endif

/* Sleep while the owner is this one, for a slice at the most. */
static void wait_while(struct lock *lock, int owner)
{
#ifdef LOCK_FUTEX
	/* The kernel's timespec of this call: two words of its own width. */
#if defined(SYS_futex)
	long slice[2] = { 0, LOCK_SLICE_NS };
#else
	int64_t slice[2] = { 0, LOCK_SLICE_NS };
#endif
	if (!syscall(LOCK_FUTEX, &lock->owner, LOCK_FUTEX_WAIT, owner, slice, NULL, 0) ||
	    errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR)
		return;
#else
	(void)lock, (void)owner;
#endif
	nanosleep(&(struct timespec){ .tv_nsec = LOCK_SLICE_NS / 100 }, NULL);
}

static void wake_all(struct lock *lock)
{
#ifdef LOCK_FUTEX
	syscall(LOCK_FUTEX, &lock->owner, LOCK_FUTEX_WAKE, 0x7fffffff, NULL, NULL, 0);
#else
	(void)lock;
#endif
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
		wait_while(lock, owner);
	}
}

void lock_release(struct lock *lock)
{
	atomic_store(&lock->owner, 0);
	if (atomic_exchange(&lock->waiting, 0))
		wake_all(lock);
}
