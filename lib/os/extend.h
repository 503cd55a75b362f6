/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A register of 32 bits becomes a count of 64 bits by a look at CLOCK_MONOTONIC.
 *
 * Each thread goes on from its own last count: threads do not race, and cores whose
 * registers differ disturb no thread but one that moves between them. Let W be 2^32, last
 * the thread's last count, and e the counts that have passed since by the clock and an
 * estimated rate, W/8 too many at most and never too few. The count is the one of
 * the W counts from low on whose lower 32 bits are the register's:
 *
 *	low = last                for e <= 2/3 W
 *	      last + 3/2 e - W    for e <= 4/3 W
 *	      last + e - 1/3 W    beyond
 *
 * It is right if low <= last + a < low + W, where a counts have really passed. So:
 *
 * - The count never steps back, whatever clock and register do: low >= last.
 * - W + x never reads as x, unless the register ran at more than 3/2 of the estimated
 *   rate: for e <= 4/3 W, low + W >= last + 3/2 e; beyond, low >= last + W.
 * - For e <= 2/3 W, all a < W are right: at any rate, and also if the core stood still.
 * - At the estimated rate pauses of any length are right, and so are all whose a is
 *   not more than W/8 below that or W/3 above it.
 * - A core that stood still or was slow for longer than that (it slept, its frequency was
 *   lowered) has multiples of W added, up to e at most: time becomes counts. How often a register
 *   wrapped unseen nobody can tell, and the other error would make long work look short.
 *
 * For this, the rate is the higher one of what the counter's setup expects and what
 * the register does during setup: the first is the maximum where frequency is scaled, the
 * second holds where the first is wrong.
 *
 * A clock that fails or is set back counts as no time: wraps are then seen
 * only if the thread reads once per wrap.
 *
 * A register that faults, because the kernel has taken it away, is left for the clock.
 *
 * A signal handler may read between any two instructions of its thread. The state is
 * words of 32 bits, which every CPU stores at once; after a handler in between they can be of
 * two reads, the upper word of the count as late as the lower one or later, the time as early
 * as these or earlier. The two words of the count overlap by four bits: if these disagree, the upper
 * one alone is a lower bound. An early time makes e too large, and that adds counts at most. A thread
 * that is behind its handlers, which may have taken wraps, stores its earlier time first: a handler
 * between its next stores would else find the earlier count with a handler's time, and lose what passed.
 */

#ifndef CPUCYCLES_EXTEND_H
#define CPUCYCLES_EXTEND_H

#include "os/ticks.h"
#include "os/tls.h"

#define EXTEND_WRAP (UINT64_C(1) << 32)

/* The unit of a count's upper word: 60 bits in all, 18 years at 2 GHz. */
#define EXTEND_HIGH_SHIFT 28

/* The unit of time is 2^30 ns at most, and passes with W/16 counts at most: 2^31 of them,
 * the longest pause, are 4 years at 4 GHz. */
#define EXTEND_TIME_SHIFT_MAX 30
#define EXTEND_TIME_COUNTS (EXTEND_WRAP / 16)

/* The binary point of counts per ns. */
#define EXTEND_SCALE_SHIFT 40

/* Between register and clock less than this has to pass, or both are read again. */
#define EXTEND_HELD_UP (UINT32_C(1) << 28)
#define EXTEND_TRIES 4

/* Measuring in setup: some windows, of which the middle one is taken, for a thread may
 * move to another core's register in one of them. */
#define EXTEND_WINDOWS 3
#define EXTEND_WINDOW_NS 200000u
#define EXTEND_PARTS 100

/* One counter. Set up once but for drift. */
struct extend {
	uint64_t expected;   /* what setup was told, in counts per second; 0: not set up */
	uint64_t ns;         /* the clock at setup */
	uint64_t multiplier; /* ns to counts */
	unsigned time_shift; /* ns to units of time */
	/* What a count was beyond the estimate since setup, in the upper word's units: where
	 * a thread starts that has no count yet. */
	_Atomic(uint32_t) drift;
};

/* One thread's last count. */
struct extend_thread {
	_Atomic(uint32_t) known; /* 0: it has none */
	_Atomic(uint32_t) high;  /* count >> EXTEND_HIGH_SHIFT */
	_Atomic(uint32_t) low;   /* the register */
	_Atomic(uint32_t) time;  /* ns >> time_shift */
	_Atomic(uint32_t) closed; /* enum extend_closed */
	_Atomic(uint32_t) drift; /* once by the clock: count beyond the estimate, in high's units */
};

/* A register that the kernel has taken away gives way to the clock. */
enum extend_closed {
	EXTEND_OPEN,
	EXTEND_CLOSED, /* the thread's read has faulted */
	EXTEND_BY_CLOCK
};

/* The same, as it was at one moment. */
struct extend_last {
	uint32_t known, high, low, time;
};

/* The time first: a handler in between makes it too old for the count, not too young. */
static inline struct extend_last extend_load(struct extend_thread *thread)
{
	struct extend_last last;

	last.known = atomic_load_explicit(&thread->known, memory_order_relaxed);
	last.time = atomic_load_explicit(&thread->time, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	last.low = atomic_load_explicit(&thread->low, memory_order_relaxed);
	last.high = atomic_load_explicit(&thread->high, memory_order_relaxed);
	return last;
}

static inline uint64_t extend_scale(const struct extend *x, uint64_t ns)
{
	return scale_multiply(ns, x->multiplier, EXTEND_SCALE_SHIFT);
}

static inline uint64_t extend_estimate(const struct extend *x, uint64_t ns)
{
	return ns > x->ns ? extend_scale(x, ns - x->ns) : 0;
}

/* A drift in counts, modulo 2^64. */
static inline uint64_t extend_drift(uint32_t drift)
{
	return (uint64_t)(int64_t)(int32_t)drift << EXTEND_HIGH_SHIFT;
}

/* Where the W counts begin for a thread's first count: in the middle is what the other
 * threads' counts make likely. */
static inline uint64_t extend_first(struct extend *x, uint64_t ns)
{
	uint32_t drift = atomic_load_explicit(&x->drift, memory_order_relaxed);
	int64_t likely = (int64_t)(extend_estimate(x, ns) + extend_drift(drift));

	return likely > (int64_t)EXTEND_WRAP / 2 ? (uint64_t)likely - EXTEND_WRAP / 2 : 0;
}

/* The last count, or what it was at least. */
static inline uint64_t extend_least(const struct extend_last *last)
{
	uint64_t high = (uint64_t)last->high << EXTEND_HIGH_SHIFT;

	if ((uint32_t)high >> EXTEND_HIGH_SHIFT != last->low >> EXTEND_HIGH_SHIFT)
		return high;
	return high | (last->low & ((UINT32_C(1) << EXTEND_HIGH_SHIFT) - 1));
}

/* Where the W counts begin for the next one. ns 0: no clock. */
static inline uint64_t extend_low(const struct extend *x, const struct extend_last *last, uint64_t ns)
{
	uint64_t low = extend_least(last), passed;
	int32_t units = (int32_t)((uint32_t)(ns >> x->time_shift) - last->time);

	if (ns == 0 || units < 0)
		return low;
	passed = extend_scale(x, ((uint64_t)units + 1) << x->time_shift);
	if (passed > EXTEND_WRAP / 3 * 4)
		return low + passed - EXTEND_WRAP / 3;
	if (passed > EXTEND_WRAP / 3 * 2)
		return low + passed / 2 * 3 - EXTEND_WRAP;
	return low;
}

/* The count, for a register and a clock that were read in this order after last. */
static inline uint64_t extend_count(struct extend *x, const struct extend_last *last, uint32_t ticks,
				    uint64_t ns)
{
	uint64_t low = last->known ? extend_low(x, last, ns) : extend_first(x, ns);

	return low + (uint32_t)(ticks - (uint32_t)low);
}

/* The thread's time. Without a clock that of before, or of setup: older is safe. */
static inline uint32_t extend_time(const struct extend *x, const struct extend_last *last, uint64_t ns)
{
	if (ns == 0 && last->known)
		return last->time;
	return (uint32_t)((ns ? ns : x->ns) >> x->time_shift);
}

static inline void extend_store(struct extend *x, struct extend_thread *thread,
				const struct extend_last *last, uint64_t count, uint64_t ns)
{
	uint32_t time = extend_time(x, last, ns);

	/* Only back: a later time beside the count of before would hide what passed since. */
	if ((int32_t)(time - atomic_load_explicit(&thread->time, memory_order_relaxed)) < 0)
		atomic_store_explicit(&thread->time, time, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&thread->high, (uint32_t)(count >> EXTEND_HIGH_SHIFT), memory_order_relaxed);
	atomic_store_explicit(&thread->low, (uint32_t)count, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	/* Last, and always: over a handler's it may leave a time that is too old for the
	 * count, never one that is too young. */
	atomic_store_explicit(&thread->time, time, memory_order_relaxed);
	if (last->known && time == last->time)
		return;
	atomic_store_explicit(&thread->known, 1, memory_order_relaxed);
	/* Seldom enough not to be a line that cores fight for. */
	atomic_store_explicit(&x->drift, (uint32_t)((count - extend_estimate(x, ns)) >> EXTEND_HIGH_SHIFT),
			      memory_order_relaxed);
}

/* One read of a thread, all but the reading. */
static inline uint64_t extend_step(struct extend *x, struct extend_thread *thread, uint32_t ticks,
				   uint64_t ns)
{
	const struct extend_last last = extend_load(thread);
	uint64_t count = extend_count(x, &last, ticks, ns);

	extend_store(x, thread, &last, count, ns);
	return count;
}

/* What setup decides from the rate in counts per second, and a register and a clock that
 * were read together. */
static inline void extend_begin(struct extend *x, uint64_t hz, uint32_t ticks, uint64_t ns)
{
	x->ns = ns;
	x->multiplier = scale_multiplier((struct ratio){ hz, CLOCK_NS_PER_S }, EXTEND_SCALE_SHIFT);
	x->time_shift = EXTEND_TIME_SHIFT_MAX;
	while (x->time_shift > 0 && extend_scale(x, UINT64_C(1) << x->time_shift) > EXTEND_TIME_COUNTS)
		x->time_shift--;
	atomic_store_explicit(&x->drift, ticks >> EXTEND_HIGH_SHIFT, memory_order_relaxed);
}

/* What the register does now, in counts per second; 0: no answer. */
static inline uint64_t extend_measure(uint64_t (*read)(void))
{
	const struct ticks_source source = { read, 32 };
	uint64_t sorted[EXTEND_WINDOWS] = { 0 };

	for (int i = 0; i < EXTEND_WINDOWS; i++) {
		uint64_t hz = 0;
		int place = i;

		ticks_measure(&source, EXTEND_WINDOW_NS, EXTEND_PARTS, &hz);
		for (; place > 0 && sorted[place - 1] > hz; place--)
			sorted[place] = sorted[place - 1];
		sorted[place] = hz;
	}
	return sorted[EXTEND_WINDOWS / 2];
}

/*
 * expected: counts per second. 0, or a negative errno. Set up again, the counter may be in
 * use: it stays as it is, but for a register that was closed to the calling thread.
 */
static inline int extend_setup(struct extend *x, struct extend_thread *thread, uint64_t (*read)(void),
			       uint64_t expected)
{
	uint64_t measured, ns;

	atomic_store_explicit(&thread->closed, EXTEND_OPEN, memory_order_relaxed);
	if (!ticks_clock(&ns))
		return -errno;
	if (x->expected == expected)
		return 0;
	measured = extend_measure(read);
	if (!ticks_clock(&ns))
		return -errno;
	x->expected = expected;
	extend_begin(x, measured > expected ? measured : expected, (uint32_t)read(), ns);
	return 0;
}

/* The calling thread's register has faulted. In a signal handler. */
static inline void extend_close(struct extend_thread *thread)
{
	atomic_store_explicit(&thread->closed, EXTEND_CLOSED, memory_order_relaxed);
}

/* The clock at the last count, less than a unit of time too early. */
static inline uint64_t extend_last_ns(const struct extend *x, const struct extend_last *last, uint64_t ns)
{
	int32_t units = (int32_t)((uint32_t)(ns >> x->time_shift) - last->time);

	return units < 0 ? ns : ((ns >> x->time_shift) - (uint32_t)units) << x->time_shift;
}

/* Where the clock goes on: from the last count and its time, less than W/8 above. */
static inline void extend_leave(struct extend *x, struct extend_thread *thread,
				const struct extend_last *last, uint64_t ns)
{
	uint32_t drift = atomic_load_explicit(&x->drift, memory_order_relaxed);
	uint64_t beyond;

	if (last->known) {
		beyond = extend_least(last) - extend_estimate(x, extend_last_ns(x, last, ns));
		drift = (uint32_t)(beyond >> EXTEND_HIGH_SHIFT) + 1;
	}
	atomic_store_explicit(&thread->drift, drift, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&thread->closed, EXTEND_BY_CLOCK, memory_order_relaxed);
}

/* The count without a register. */
static inline uint64_t extend_by_clock(struct extend *x, struct extend_thread *thread,
				       const struct extend_last *last)
{
	uint64_t least = last->known ? extend_least(last) : 0, count, ns;

	if (!ticks_clock(&ns))
		return least;
	if (atomic_load_explicit(&thread->closed, memory_order_relaxed) != EXTEND_BY_CLOCK)
		extend_leave(x, thread, last, ns);
	count = extend_estimate(x, ns) +
		extend_drift(atomic_load_explicit(&thread->drift, memory_order_relaxed));
	if ((int64_t)(count - least) < 0)
		count = least;
	extend_store(x, thread, last, count, ns);
	return count;
}

/* The count with a register; one that faults on the way gives no count. */
static inline uint64_t extend_by_register(struct extend *x, struct extend_thread *thread,
					  const struct extend_last *last, uint64_t (*read)(void))
{
	uint64_t ns, count;
	uint32_t ticks;

	for (int i = 0; i < EXTEND_TRIES; i++) {
		ticks = (uint32_t)read();
		if (!ticks_clock(&ns))
			ns = 0;
		/* Else the thread was held up, or moved, and the clock is not the register's. */
		if ((uint32_t)read() - ticks < EXTEND_HELD_UP)
			break;
	}
	if (atomic_load_explicit(&thread->closed, memory_order_relaxed))
		return extend_by_clock(x, thread, last);
	count = extend_count(x, last, ticks, ns);
	extend_store(x, thread, last, count, ns);
	return count;
}

/* The calling thread's count. Any thread, any signal handler. */
static inline uint64_t extend_read(struct extend *x, struct extend_thread *thread,
				   uint64_t (*read)(void))
{
	const int saved_errno = errno;
	struct extend_last last;
	uint64_t count;

	published_fence();
	last = extend_load(thread);
	atomic_signal_fence(memory_order_seq_cst); /* a handler's count is not above the register */
	if (atomic_load_explicit(&thread->closed, memory_order_relaxed))
		count = extend_by_clock(x, thread, &last);
	else
		count = extend_by_register(x, thread, &last, read);
	errno = saved_errno;
	return count;
}

#endif
