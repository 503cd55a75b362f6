/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One owner at a time for what is per process: the guard's dispositions, the
 * selection. Never waits for an owner that cannot finish: the caller itself (a
 * signal handler over it) or a thread that did not come along through fork. A child of
 * vfork gets nothing: its owners would look gone to it, and it to them. */

#ifndef CPUCYCLES_LOCK_H
#define CPUCYCLES_LOCK_H

#include <stdatomic.h>

struct lock {
	atomic_int owner;   /* thread id, 0: free */
	atomic_int waiting; /* someone may sleep until the release */
};

enum lock_answer {
	LOCK_TAKEN,   /* the caller is the owner now and must release */
	LOCK_NESTED,  /* the caller's own thread is the owner already */
	LOCK_TIMEOUT, /* the owner did not finish in LOCK_WAIT_NS */
	LOCK_GUEST    /* the caller only uses this process's memory, see thread_is_guest */
};

enum lock_answer lock_take(struct lock *lock);
void lock_release(struct lock *lock);

#endif
