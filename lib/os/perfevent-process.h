/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Gives each process a number, so that a thread sees whether its perf events are of this process
 * or of its parent's: a child of fork has copies of its parent's variables, but not the pages of
 * its parent's events. The number stands in a page of memory that the kernel fills with zeros in a
 * child (MADV_WIPEONFORK), so a read needs no system call to see that its process is new. The
 * process also has a key of thread-specific data, by which a thread's events are released when the
 * thread ends.
 */

#ifndef CPUCYCLES_PERFEVENT_PROCESS_H
#define CPUCYCLES_PERFEVENT_PROCESS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The page: this process's number, or 0 in a process that has none yet. NULL until the first
 * perfevent_process_enter. */
extern _Atomic(uint32_t) *perfevent_process_page;

/* Whether that is not this process's number. 0 is no process's. */
static inline bool perfevent_process_is_foreign(uint32_t number)
{
	const bool foreign = number == 0 || number != atomic_load_explicit(perfevent_process_page,
									   memory_order_relaxed);

	/* It seldom is: the compiler keeps what follows then out of the way of a read. */
	return __builtin_expect(foreign, 0);
}

/*
 * Make ready what all threads share, and have thread_ends(argument) called when the calling thread
 * ends. thread_ends is the same function in every call. Only for the holder of the guard. 0 or a
 * negative errno.
 */
int perfevent_process_enter(void (*thread_ends)(void *), void *argument);

/* This process's number, never 0. After the first perfevent_process_enter. */
uint32_t perfevent_process_number(void);

/* Bytes in a page of memory. */
size_t perfevent_process_page_size(void);

#endif
