/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The count of one thread, which a signal handler may read at any time.
 *
 * A handler may read between any two instructions of its thread's read. So a thread has two slots:
 * the count of the last finished read, and the one that is being written. A read copies the slot in
 * use, takes the copy to a new pair, stores it into the other slot, and changes the slot in use by
 * one store of `generation`. If a handler has read in between, the generation has moved on, and the
 * read begins anew. While a read stores, which it says by `storing`, a handler makes its count from
 * the slot in use and stores nothing. So the slot in use is never half written.
 *
 * A handler may end by a jump, and never return to the read that it interrupted. If that read was
 * storing, the thread's counts are made from the same slot from then on: they stay right on that
 * CPU, and become estimates on another one.
 */

#ifndef CPUCYCLES_APERF_THREAD_H
#define CPUCYCLES_APERF_THREAD_H

#include "arch/x86/aperf.h"

#include <signal.h>
#include <stdatomic.h>

struct aperf_thread {
	struct aperf_count slots[2];
	volatile unsigned generation; /* slots[generation % 2] is in use */
	volatile sig_atomic_t storing;
};

/* Take the count to a pair of now. */
static inline void aperf_step(struct aperf_count *count, struct aperf_pair (*read)(void))
{
	struct aperf_pair now = read();
	bool follows = aperf_follows(&count->at, &now);

	if (!follows) {
		now = read();
		follows = aperf_follows(&count->at, &now);
	}
	aperf_advance(count, &now, follows);
}

/* The calling thread's count. Any signal handler may call this. */
static inline uint64_t aperf_read(struct aperf_thread *mine, struct aperf_pair (*read)(void))
{
	for (;;) {
		const unsigned generation = mine->generation;
		struct aperf_count next;

		atomic_signal_fence(memory_order_seq_cst);
		next = mine->slots[generation % 2];
		aperf_step(&next, read);
		if (mine->storing)
			return next.count;
		mine->storing = 1;
		atomic_signal_fence(memory_order_seq_cst);
		if (mine->generation == generation) {
			mine->slots[(generation + 1) % 2] = next;
			atomic_signal_fence(memory_order_seq_cst);
			mine->generation = generation + 1;
			mine->storing = 0;
			return next.count;
		}
		mine->storing = 0;
	}
}

/* How long the core has to be busy to show its frequency, and how often that is tried: the thread
 * may be interrupted, or move. */
#define APERF_TICKS 16384
#define APERF_TRIES 4

/* The core's frequency, from what it counts beside a time-stamp counter of tsc_hz while this thread
 * is busy. 0: unknown. */
static inline uint64_t aperf_core_hz(struct aperf_pair (*read)(void), uint64_t tsc_hz)
{
	for (int i = 0; i < APERF_TRIES; i++) {
		struct aperf_count count = { .at = read() };
		struct aperf_pair last = count.at, now;
		bool follows;

		do {
			now = read();
			follows = aperf_follows(&last, &now);
			last = now;
		} while (follows && now.tsc - count.at.tsc < APERF_TICKS);
		aperf_advance(&count, &now, follows);
		if (count.ratio)
			return scale_multiply(tsc_hz, count.ratio, APERF_RATIO_SHIFT);
	}
	return 0;
}

#endif
