/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_PUBLISHED_H
#define CPUCYCLES_PUBLISHED_H

#include <stdatomic.h>
#include <stdint.h>

/*
 * Before the first load of what setup left. A thread may have learnt of the counter
 * by a plain load of the pointer, so that load needs a fence where the CPU reorders
 * loads. On x86 and under ThreadSanitizer, which knows no fences, only the compiler
 * is held back.
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
 * Leave a value for readers. A counter in use may be set up again while others read it: then
 * persecond and rate are the same (choose.h, probe.h), so the value is, and is not written again.
 */
static inline void published_keep(uint64_t *kept, uint64_t value)
{
	if (*kept != value)
		*kept = value;
}

#endif
