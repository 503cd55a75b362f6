/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * One owner at a time for what belongs to the whole process: the signals' dispositions and the
 * selection. Nobody waits for an owner that cannot finish: a signal handler does not wait for the
 * thread that it interrupted, and a child of fork does not wait for a thread that fork did not
 * copy. A child of vfork never gets the lock: the kernel shows it none of its parent's threads, so
 * it would take every owner for gone, and its parent would take it for gone.
 */

#ifndef CPUCYCLES_LOCK_H
#define CPUCYCLES_LOCK_H

#include <stdatomic.h>
#include <stdbool.h>

struct lock {
	atomic_int owner;   /* thread id, 0: free */
	atomic_int waiting; /* 1: somebody may be waiting for the release */
};

enum lock_answer {
	LOCK_TAKEN,   /* the caller is now the owner and must release the lock */
	LOCK_NESTED,  /* the caller is the owner already: lock_is_mine */
	LOCK_TIMEOUT, /* the owner did not release the lock within LOCK_WAIT_NS */
	LOCK_GUEST    /* the caller is a child of vfork or the like, see thread_is_guest */
};

/*
 * Whether the calling thread, or the thread that this signal handler interrupted, is the owner. The
 * owner's id alone does not tell: in a child with a PID namespace of its own, a thread may have the
 * id of an owner that fork did not copy.
 */
bool lock_is_mine(const struct lock *lock);

enum lock_answer lock_take(struct lock *lock);
void lock_release(struct lock *lock);

#endif
