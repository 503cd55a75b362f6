/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#ifndef CPUCYCLES_PUBLISHED_H
#define CPUCYCLES_PUBLISHED_H

#include <stdatomic.h>

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

#endif
