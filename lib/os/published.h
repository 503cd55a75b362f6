/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Values that a counter's setup leaves for the reads of all threads. A thread may learn of the
 * counter by a plain load of the pointer cpucycles, which orders nothing, and a counter may be set
 * up again while other threads read it. These two functions make both safe.
 */

#ifndef CPUCYCLES_PUBLISHED_H
#define CPUCYCLES_PUBLISHED_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Call this in a read before it loads what setup left: a CPU that reorders loads might else load an
 * older value than the pointer's. On x86 no instruction comes of it. ThreadSanitizer knows no
 * fences, so there only the compiler is held back.
 */
static inline void published_fence(void)
{
#if defined(__SANITIZE_THREAD__)
	atomic_signal_fence(memory_order_acquire);
#else
	atomic_thread_fence(memory_order_acquire);
#endif
}

/*
 * Leave a value for reads. A later setup, during which threads may read, has the same persecond and
 * rate (choose.h, probe.h), hence the same value. It is not written again, so there is no race.
 */
static inline void published_keep(uint64_t *kept, uint64_t value)
{
	if (*kept != value)
		*kept = value;
}

#endif
