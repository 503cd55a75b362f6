/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The count of one thread, which a signal handler may read at any time.
 *
 * A handler may read between any two instructions of its thread's read, and may end by a jump, so
 * that this read never goes on. So a read changes nothing that is in use until its last step. It
 * reads a pair, copies the slot in use, takes the copy to the pair, and claims a slot that is not
 * in use. It stores the copy there, and puts that slot in use by one instruction, which does so
 * only if the slot in use is still the one that was copied. If a handler has read in between, it is
 * not, and the read begins anew. (If a handler has read before the copy, the pair is older than the
 * copy. Then it does not follow, and another one is read.)
 *
 * A claim is the address of the read's own frame, which no other read has that is still going on.
 * A read that a jump has ended leaves its claim behind, until a read with the same frame comes. If
 * all slots are claimed, the claim of the slot that was written longest ago is forgotten. The slot
 * that a read has claimed which is still going on was written later.
 */

#ifndef CPUCYCLES_APERF_THREAD_H
#define CPUCYCLES_APERF_THREAD_H

#include "arch/x86/aperf.h"

#include <stdatomic.h>

#define APERF_SLOTS 8

struct aperf_thread {
	struct aperf_count slots[APERF_SLOTS];
	volatile uintptr_t claims[APERF_SLOTS]; /* 0: nobody writes the slot */
	volatile uint32_t now; /* number of the last read; the slot in use is that modulo 8 */
};

/* What reads a pair, and the time-stamp counter alone. */
struct aperf_reader {
	struct aperf_pair (*pair)(void);
	uint64_t (*tsc)(void);
};

/* Take the count to a pair of now, or to the next one. */
static inline void aperf_step(struct aperf_count *count, struct aperf_pair now,
			      const struct aperf_reader *read)
{
	const struct aperf_pair last = aperf_last(count);
	bool follows = aperf_follows(&last, &now), ends;

	if (!follows) {
		now = read->pair();
		follows = aperf_follows(&last, &now);
	}
	ends = follows && count->tsc != 0 && aperf_is_due(count, &now) &&
	       read->tsc() - now.tsc < APERF_PAIR_TICKS;
	aperf_advance(count, &now, follows, ends);
}

/* *word = desired if it is expected, by one instruction. No other thread knows the word, so the bus
 * is not locked. */
static inline bool aperf_exchange(volatile uint32_t *word, uint32_t expected, uint32_t desired)
{
#if defined(__x86_64__) || defined(__i386__)
	bool done;

	__asm__ volatile("cmpxchgl %3, %1"
			 : "=@ccz"(done), "+m"(*word), "+a"(expected)
			 : "r"(desired)
			 : "memory");
	return done;
#else
	return __atomic_compare_exchange_n(word, &expected, desired, false, __ATOMIC_RELAXED,
					   __ATOMIC_RELAXED);
#endif
}

static inline bool aperf_is_free(const struct aperf_thread *mine, uint32_t number, uintptr_t frame)
{
	const uintptr_t claim = mine->claims[number % APERF_SLOTS];

	return claim == 0 || claim == frame;
}

/* Of the slots that are not in use, the number of the one that was written longest ago. */
static inline uint32_t aperf_oldest(const struct aperf_thread *mine, uint32_t now)
{
	uint32_t oldest = now + 1;

	for (uint32_t next = now + 2; next != now + APERF_SLOTS; next++)
		if (mine->slots[next % APERF_SLOTS].tsc < mine->slots[oldest % APERF_SLOTS].tsc)
			oldest = next;
	return oldest;
}

/* The number for the next read, whose slot is free. */
static inline uint32_t aperf_next(const struct aperf_thread *mine, uint32_t now, uintptr_t frame)
{
	for (uint32_t next = now + 1; next != now + APERF_SLOTS; next++)
		if (aperf_is_free(mine, next, frame))
			return next;
	return aperf_oldest(mine, now);
}

/* Put the count in use, by the free slot of number `next`, as that of a read that began at number
 * `now`. False: a handler has read meanwhile. */
static inline bool aperf_store(struct aperf_thread *mine, uint32_t now, uint32_t next,
			       const struct aperf_count *count, uintptr_t frame)
{
	volatile uintptr_t *claim = &mine->claims[next % APERF_SLOTS];
	bool done = false;

	*claim = frame;
	atomic_signal_fence(memory_order_seq_cst);
	/* Before the claim, a handler may have put this very slot in use. */
	if (mine->now == now) {
		mine->slots[next % APERF_SLOTS] = *count;
		done = aperf_exchange(&mine->now, now, next);
	}
	atomic_signal_fence(memory_order_seq_cst);
	*claim = 0;
	return done;
}

/* Copy the slot in use. Returns its number, for aperf_store. */
static inline uint32_t aperf_load(const struct aperf_thread *mine, struct aperf_count *count)
{
	const uint32_t now = mine->now;

	atomic_signal_fence(memory_order_seq_cst);
	*count = mine->slots[now % APERF_SLOTS];
	return now;
}

/* The calling thread's count at this pair, or at a later one. Any signal handler may call this, and
 * the next function. */
static inline uint64_t aperf_count_at(struct aperf_thread *mine, struct aperf_pair pair,
				      const struct aperf_reader *read)
{
	struct aperf_count count;
	uint32_t now = aperf_load(mine, &count);
	const uintptr_t frame = (uintptr_t)&count;

	aperf_step(&count, pair, read);
	while (!aperf_store(mine, now, aperf_next(mine, now, frame), &count, frame)) {
		now = aperf_load(mine, &count);
		aperf_step(&count, read->pair(), read);
	}
	return count.count;
}

/*
 * The same in the usual case, by few instructions, because a read should take little longer than
 * the two registers do: the pair follows the last one and does not end a window, and the next
 * slot has no claim. False: it is not the usual case, or a handler has read meanwhile.
 */
static inline bool aperf_count_usual(struct aperf_thread *mine, const struct aperf_pair *pair,
				     uint64_t *result)
{
	struct aperf_count count;
	const uint32_t now = aperf_load(mine, &count), next = now + 1;
	const struct aperf_pair last = aperf_last(&count);
	char frame;

	if (last.tsc == 0 || !aperf_follows(&last, pair) || aperf_is_due(&count, pair) ||
	    !aperf_is_free(mine, next, (uintptr_t)&frame))
		return false;
	count.tsc = pair->tsc;
	count.aperf = pair->aperf;
	*result = count.count += pair->aperf - last.aperf;
	return aperf_store(mine, now, next, &count, (uintptr_t)&frame);
}

/* The thread's count becomes `least`, if it is less, and goes on from the next pair. */
static inline void aperf_restart(struct aperf_thread *mine, uint64_t least)
{
	struct aperf_count count;
	const uintptr_t frame = (uintptr_t)&count;
	uint32_t now;

	do {
		now = aperf_load(mine, &count);
		count.tsc = 0;
		if (count.count < least)
			count.count = least;
	} while (!aperf_store(mine, now, aperf_next(mine, now, frame), &count, frame));
}

/* A pair and a clock are read so often. What counts is the read in which the least time passed, and
 * only if fewer than APERF_CLOCK_TICKS passed in it. So about the same time passes between pair and
 * clock at both ends of a measurement. Then this time is not in the result. */
#define APERF_CLOCK_READS 8
#define APERF_CLOCK_TICKS 4096

/* The core is busy for so many ticks to show its frequency, and this is tried so often: the thread
 * may be interrupted, or move. */
#define APERF_TICKS 65536
#define APERF_TRIES 4

struct aperf_timed {
	struct aperf_pair pair; /* void if something came in between in all reads */
	uint64_t ns;            /* the clock, right behind the pair */
	uint64_t ticks;         /* the time that passed in this read */
};

static inline struct aperf_timed aperf_with_clock(struct aperf_pair (*read)(void),
						  uint64_t (*clock)(void))
{
	struct aperf_timed best = { .ticks = APERF_CLOCK_TICKS };

	for (int i = 0; i < APERF_CLOCK_READS; i++) {
		struct aperf_timed now;

		now.pair = read();
		now.ns = clock();
		now.ticks = read().tsc - now.pair.tsc;
		if (now.pair.tsc != 0 && now.ticks < best.ticks)
			best = now;
	}
	return best;
}

/* The core's frequency in Hz, from what it counts by a clock in ns while this thread is busy.
 * 0: unknown. */
static inline uint64_t aperf_core_hz(struct aperf_pair (*read)(void), uint64_t (*clock)(void))
{
	for (int i = 0; i < APERF_TRIES; i++) {
		const struct aperf_timed from = aperf_with_clock(read, clock);
		struct aperf_pair last = from.pair;
		bool follows = last.tsc != 0;
		struct aperf_timed to;
		uint64_t cycles;

		while (follows && last.tsc - from.pair.tsc < APERF_TICKS) {
			const struct aperf_pair now = read();

			follows = now.tsc != 0 && aperf_follows(&last, &now);
			last = now;
		}
		if (!follows)
			continue;
		to = aperf_with_clock(read, clock);
		cycles = to.pair.aperf - from.pair.aperf;
		if (to.pair.tsc != 0 && aperf_follows(&last, &to.pair) && to.ns > from.ns &&
		    cycles < UINT32_MAX)
			return cycles * UINT64_C(1000000000) / (to.ns - from.ns);
	}
	return 0;
}

#endif
