/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The count of one thread, which a signal handler may read at any time.
 *
 * A handler may read between any two instructions of its thread's read, and may end by a jump, so
 * that this read never goes on. So a read changes nothing that is in use until its last step. It
 * reads a pair, and then the thread's word: the number of the window in use, and the last pair
 * relative to that window's first one. Nearly every pair is in that window. Then the read only
 * replaces the word, by one instruction, which does so only if the word is still the one that was
 * read. If a handler has read in between, it is not, and the read begins anew. (If a handler has
 * read before the word was read, the pair is older than the last one. Then it does not follow, and
 * another one is read.)
 *
 * Where a window begins, the read claims a place for it that is not in use, stores it there, and
 * then replaces the word in the same way. A claim is the address of the read's own frame, which no
 * other read has that is still going on. A read that a jump has ended leaves its claim behind,
 * until a read with the same frame comes. If all places are claimed, the claim that was made
 * longest ago is forgotten. That of a read that is still going on was made later, unless its
 * handlers have left six more behind.
 *
 * A handler may not switch to another context that reads, and back (swapcontext(3)): two reads that
 * interrupt each other are not one within the other.
 */

#ifndef CPUCYCLES_APERF_THREAD_H
#define CPUCYCLES_APERF_THREAD_H

#include "arch/x86/aperf.h"

#include <stdatomic.h>

#define APERF_PLACES 8

struct aperf_thread {
	struct aperf_window windows[APERF_PLACES];
	volatile uintptr_t claims[APERF_PLACES]; /* 0: nobody writes the window */
	uint32_t claimed[APERF_PLACES]; /* number of the place's last claim among all claims */
	uint32_t claims_made;
	volatile uint64_t word;
	/* As the windows that have ended show it. If a handler reads just before this is stored,
	 * the handler's last window is forgotten. */
	uint32_t ratio;
};

/* What a thread begins with. Its count is 1, because 0 would look as if there were no counter. */
#define APERF_THREAD \
	{ \
		.windows = { { .offset = 1, .cpu = APERF_NO_CPU } } \
	}

/* The parts of the word. The number takes the rest; its place is that modulo APERF_PLACES. */
#define APERF_TICKS_BITS 16
#define APERF_CYCLES_BITS 24
_Static_assert(APERF_WINDOW == 1 << APERF_TICKS_BITS, "the ticks of a window fit");
_Static_assert(APERF_WINDOW_CYCLES == 1 << APERF_CYCLES_BITS, "its cycles fit");

static inline uint64_t aperf_word(uint64_t number, const struct aperf_count *count)
{
	return (number << APERF_CYCLES_BITS | count->cycles) << APERF_TICKS_BITS | count->ticks;
}

static inline uint64_t aperf_number(uint64_t word)
{
	return word >> (APERF_CYCLES_BITS + APERF_TICKS_BITS);
}

static inline uint64_t aperf_ticks(uint64_t word)
{
	return word % APERF_WINDOW;
}

static inline uint64_t aperf_cycles(uint64_t word)
{
	return (word >> APERF_TICKS_BITS) % APERF_WINDOW_CYCLES;
}

/* What reads a pair, and the time-stamp counter alone. */
struct aperf_reader {
	struct aperf_pair (*pair)(void);
	uint64_t (*tsc)(void);
};

/*
 * Take the count to a pair of now, or to the next one. A window should not begin with a pair whose
 * APERF is of a later time than its ticks: if the thread moves then, that time counts twice. In the
 * middle of a window nobody looks for such a pair, because each read would take longer. The time
 * that may count twice there is less than three windows.
 */
static inline void aperf_step(struct aperf_count *count, struct aperf_pair now,
			      const struct aperf_reader *read)
{
	const struct aperf_pair last = aperf_last(count);
	bool follows;
	uint64_t took;

	for (bool again = false;; again = true) {
		follows = aperf_follows(&last, &now);
		if (follows && !aperf_is_due(&count->window, &now)) {
			aperf_stay(count, &now);
			return;
		}
		took = follows || again ? read->tsc() - now.tsc : UINT64_MAX;
		if (again || took < APERF_PAUSE_TICKS)
			break;
		now = read->pair();
		if (now.tsc == 0 || now.aperf == 0)
			return;
	}
	aperf_begin(count, &now, follows, took < APERF_PAIR_TICKS);
}

/* *word = desired if it is expected, by one instruction. No other thread knows the word, so the bus
 * is not locked. On other architectures, which only have tests of this, handlers do not read. */
static inline bool aperf_exchange(volatile uint64_t *word, uint64_t expected, uint64_t desired)
{
	bool done;

#if defined(__x86_64__)
	__asm__ volatile("cmpxchgq %3, %1"
			 : "=@ccz"(done), "+m"(*word), "+a"(expected)
			 : "r"(desired)
			 : "memory");
#elif defined(__i386__)
	__asm__ volatile("cmpxchg8b %1"
			 : "=@ccz"(done), "+m"(*word), "+A"(expected)
			 : "b"((uint32_t)desired), "c"((uint32_t)(desired >> 32))
			 : "memory");
#else
	done = *word == expected;
	if (done)
		*word = desired;
#endif
	return done;
}

static inline bool aperf_is_free(const struct aperf_thread *mine, uint64_t number, uintptr_t frame)
{
	const uintptr_t claim = mine->claims[number % APERF_PLACES];

	return claim == 0 || claim == frame;
}

/* Of the places that are not in use, the number of the one that was claimed longest ago. */
static inline uint64_t aperf_oldest(const struct aperf_thread *mine, uint64_t now)
{
	uint64_t oldest = now + 1;

	for (uint64_t next = now + 2; next != now + APERF_PLACES; next++)
		if (mine->claims_made - mine->claimed[next % APERF_PLACES] >
		    mine->claims_made - mine->claimed[oldest % APERF_PLACES])
			oldest = next;
	return oldest;
}

/* The number for the next window, whose place is free. */
static inline uint64_t aperf_next(const struct aperf_thread *mine, uint64_t now, uintptr_t frame)
{
	for (uint64_t next = now + 1; next != now + APERF_PLACES; next++)
		if (aperf_is_free(mine, next, frame))
			return next;
	return aperf_oldest(mine, now);
}

/* Put the count in use, with its window at another place, as that of a read that began with this
 * word. False: a handler has read meanwhile. */
static inline bool aperf_store(struct aperf_thread *mine, uint64_t word,
			       const struct aperf_count *count, uintptr_t frame)
{
	const uint64_t next = aperf_next(mine, aperf_number(word), frame);
	volatile uintptr_t *claim = &mine->claims[next % APERF_PLACES];
	bool done = false;

	mine->claimed[next % APERF_PLACES] = ++mine->claims_made;
	atomic_signal_fence(memory_order_seq_cst);
	*claim = frame;
	atomic_signal_fence(memory_order_seq_cst);
	/* Before the claim, a handler may have put this very place in use. */
	if (mine->word == word) {
		mine->windows[next % APERF_PLACES] = count->window;
		mine->ratio = count->ratio;
		done = aperf_exchange(&mine->word, word, aperf_word(next, count));
	}
	atomic_signal_fence(memory_order_seq_cst);
	*claim = 0;
	return done;
}

/* Copy what is in use. Returns the word, for aperf_store. If a handler reads meanwhile, the copy
 * may be of two windows, and the word is no longer the thread's. */
static inline uint64_t aperf_load(const struct aperf_thread *mine, struct aperf_count *count)
{
	const uint64_t word = mine->word;

	atomic_signal_fence(memory_order_seq_cst);
	count->window = mine->windows[aperf_number(word) % APERF_PLACES];
	count->ticks = aperf_ticks(word);
	count->cycles = aperf_cycles(word);
	count->ratio = mine->ratio;
	return word;
}

/* The calling thread's count at this pair, or at a later one. Any signal handler may call this, and
 * the functions below. */
static inline uint64_t aperf_count_at(struct aperf_thread *mine, struct aperf_pair pair,
				      const struct aperf_reader *read)
{
	struct aperf_count count;
	uint64_t word = aperf_load(mine, &count);

	aperf_step(&count, pair, read);
	while (!aperf_store(mine, word, &count, (uintptr_t)&count)) {
		word = aperf_load(mine, &count);
		aperf_step(&count, read->pair(), read);
	}
	return aperf_value(&count);
}

/*
 * The same in the usual case, by few instructions, because a read should take little longer than
 * the two registers do: the pair follows the last one and is in the window. False: it is not the
 * usual case, or a handler has read meanwhile.
 */
static inline bool aperf_count_usual(struct aperf_thread *mine, const struct aperf_pair *pair,
				     uint64_t *result)
{
	const uint64_t word = mine->word;
	const struct aperf_window *window = &mine->windows[aperf_number(word) % APERF_PLACES];
	uint64_t ticks, cycles;

	atomic_signal_fence(memory_order_seq_cst);
	if (aperf_is_due(window, pair) || pair->cpu != window->cpu)
		return false;
	ticks = pair->tsc - window->tsc - aperf_ticks(word);
	cycles = pair->aperf - window->aperf - aperf_cycles(word);
	if (ticks >= APERF_WINDOW || !aperf_can_run(ticks, cycles))
		return false;
	*result = pair->aperf + window->offset;
	return aperf_exchange(&mine->word, word, word + (cycles << APERF_TICKS_BITS) + ticks);
}

/* The thread's count becomes `least`, if it is less, and goes on from the next pair. A read that
 * this interrupts does not put its pair in use. Returns the count. */
static inline uint64_t aperf_restart(struct aperf_thread *mine, uint64_t least)
{
	struct aperf_count count;
	uint64_t word, value;

	do {
		word = aperf_load(mine, &count);
		value = aperf_value(&count);
		if (value < least)
			value = least;
		count = (struct aperf_count){
			.window = { .offset = value, .cpu = APERF_NO_CPU },
			.ratio = count.ratio,
		};
	} while (!aperf_store(mine, word, &count, (uintptr_t)&count));
	return value;
}

/* A pair and a clock are read so often. What counts is the read in which the least time passed, and
 * only if fewer than APERF_CLOCK_TICKS passed in it. So about the same time passes between pair and
 * clock at both ends of a measurement. Then this time is not in the result. */
#define APERF_CLOCK_READS 8
#define APERF_CLOCK_TICKS 4096

/* The core is busy for APERF_TICKS to show its frequency. This is tried APERF_TRIES times, because
 * the thread may be interrupted, or move. */
#define APERF_TICKS 65536
#define APERF_TRIES 4

/* If the time-stamp counter stands still, the core is busy for this number of reads. */
#define APERF_READS_MAX 65536

struct aperf_timed {
	struct aperf_pair pair; /* void if each read was disturbed, or the clock is too coarse */
	uint64_t ns;            /* the clock, right after the pair */
	uint64_t ticks;         /* the time that passed in this read */
};

/* A clock that does not move from each of these reads to the next one is too coarse. */
static inline struct aperf_timed aperf_with_clock(struct aperf_pair (*read)(void),
						  uint64_t (*clock)(void))
{
	struct aperf_timed best = { .ticks = APERF_CLOCK_TICKS };
	uint64_t last = clock();
	bool moves = true;

	for (int i = 0; i < APERF_CLOCK_READS; i++) {
		struct aperf_timed now;

		now.pair = read();
		now.ns = clock();
		now.ticks = read().tsc - now.pair.tsc;
		if (now.pair.tsc != 0 && now.ticks < best.ticks)
			best = now;
		moves = moves && now.ns != last;
		last = now.ns;
	}
	if (!moves)
		best.pair.tsc = 0;
	return best;
}

/* Read from this pair on until APERF_TICKS have passed. The last pair; void if the thread has moved
 * or an instruction has faulted. */
static inline struct aperf_pair aperf_stay_busy(struct aperf_pair (*read)(void),
						const struct aperf_pair *from)
{
	struct aperf_pair last = *from;

	for (int n = 0; n < APERF_READS_MAX && last.tsc - from->tsc < APERF_TICKS; n++) {
		const struct aperf_pair now = read();

		if (!aperf_follows(&last, &now))
			return (struct aperf_pair){ 0, 0, 0 };
		last = now;
	}
	return last;
}

/* The core's frequency in Hz, from what it counts by a clock in ns while this thread is busy.
 * 0: unknown. */
static inline uint64_t aperf_core_hz(struct aperf_pair (*read)(void), uint64_t (*clock)(void))
{
	for (int i = 0; i < APERF_TRIES; i++) {
		const struct aperf_timed from = aperf_with_clock(read, clock);
		struct aperf_pair last;
		struct aperf_timed to;
		uint64_t cycles;

		if (from.pair.tsc == 0) /* nearly always so in the next try, too */
			return 0;
		last = aperf_stay_busy(read, &from.pair);
		if (last.tsc == 0)
			continue;
		to = aperf_with_clock(read, clock);
		cycles = to.pair.aperf - from.pair.aperf;
		if (aperf_follows(&last, &to.pair) && to.ns > from.ns && cycles < UINT32_MAX)
			return cycles * UINT64_C(1000000000) / (to.ns - from.ns);
	}
	return 0;
}

#endif
