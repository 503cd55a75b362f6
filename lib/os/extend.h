/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A register that counts 32 bits of cycles becomes a count of 64 bits, with the help of
 * CLOCK_MONOTONIC.
 *
 * A counter has one struct extend, and one struct extend_thread for each thread. Its setup calls
 * extend_setup, and its read returns extend_read. If the kernel may close the register to the
 * program, the counter's closed function calls extend_close.
 */

#ifndef CPUCYCLES_EXTEND_H
#define CPUCYCLES_EXTEND_H

#include "os/published.h"
#include "os/ticks.h"
#include "os/tls.h"
#include "scale.h"

#include <errno.h>
#include <stdatomic.h>

/* One counter. Nothing but drift changes once it is set up. */
struct extend {
	uint64_t expected; /* the rate that setup was given, in counts per second; 0: not set up */
	uint64_t ns;       /* the clock at setup */
	uint64_t multiplier; /* ns to counts, at the estimated rate */
	unsigned time_shift; /* the unit of time is 2^time_shift ns */
	/* A recent count minus the estimate since setup, in units of extend_thread.high. A thread
	 * that has no count yet starts there. */
	_Atomic(uint32_t) drift;
};

/* One thread's last count, and what became of the register in this thread. */
struct extend_thread {
	_Atomic(uint32_t) known;  /* 0: it has no count yet */
	_Atomic(uint32_t) high;   /* count >> EXTEND_HIGH_SHIFT */
	_Atomic(uint32_t) low;    /* the register */
	_Atomic(uint32_t) time;   /* ns >> time_shift */
	_Atomic(uint32_t) closed; /* enum extend_closed */
	_Atomic(uint32_t) drift;  /* for EXTEND_BY_CLOCK: count minus estimate, in units of high */
};

enum extend_closed {
	EXTEND_OPEN,
	EXTEND_CLOSED,  /* a read of this thread has faulted */
	EXTEND_BY_CLOCK /* the thread's counts go on by the clock */
};

/*
 * Takes the rate that is expected, in counts per second, and measures what the register does.
 * Returns 0, or a negative errno. A counter that is set up again may be in use: x stays as it is,
 * but the calling thread tries its register again.
 */
int extend_setup(struct extend *x, struct extend_thread *thread, uint64_t (*read)(void),
		 uint64_t expected);

/* The calling thread's count. Any thread and any signal handler may call this. */
static inline uint64_t extend_read(struct extend *x, struct extend_thread *thread,
				   uint64_t (*read)(void));

/* Called in the handler of the signal that the calling thread's register has raised. */
static inline void extend_close(struct extend_thread *thread)
{
	atomic_store_explicit(&thread->closed, EXTEND_CLOSED, memory_order_relaxed);
}

/* Whether the calling thread's counts are made from the clock. */
static inline bool extend_is_closed(const struct extend_thread *thread)
{
	return atomic_load_explicit(&thread->closed, memory_order_relaxed) != EXTEND_OPEN;
}

/* The rest is the read, which is inline. Why it is right stands in extend.c. W is EXTEND_WRAP. */

#define EXTEND_WRAP (UINT64_C(1) << 32)

/* The words high and low of a count have 60 bits together: 18 years at 2 GHz. */
#define EXTEND_HIGH_SHIFT 28

/* The binary point of extend.multiplier. */
#define EXTEND_SCALE_SHIFT 40

/* If the register counts as much as this while the clock is read, both are read again: the thread
 * was interrupted or moved to another core, and the clock's time is not the register's. */
#define EXTEND_HELD_UP (UINT32_C(1) << 28)
#define EXTEND_TRIES 4

/* The first words of struct extend_thread, as they were at one moment. */
struct extend_last {
	uint32_t known, high, low, time;
};

/* The multiplier, the unit of time and the drift, from the estimated rate in counts per second and
 * from a register and a clock that were read together. */
void extend_begin(struct extend *x, uint64_t hz, uint32_t ticks, uint64_t ns);

/* The value of low for a thread's first count. */
uint64_t extend_first(const struct extend *x, uint64_t ns);

/* The count of a thread whose register is closed. */
uint64_t extend_by_clock(struct extend *x, struct extend_thread *thread);

/* From now on the thread's counts go on by the clock, at most W/8 above the last count. */
void extend_leave(const struct extend *x, struct extend_thread *thread,
		  const struct extend_last *last, uint64_t ns);

/* The time first: a handler in between makes it too old for the count, never too young. */
static inline struct extend_last extend_load(const struct extend_thread *thread)
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

/* The counts since setup, by the clock. */
static inline uint64_t extend_estimate(const struct extend *x, uint64_t ns)
{
	return ns > x->ns ? extend_scale(x, ns - x->ns) : 0;
}

/* A drift in counts, modulo 2^64. */
static inline uint64_t extend_drift(uint32_t drift)
{
	return (uint64_t)(int64_t)(int32_t)drift << EXTEND_HIGH_SHIFT;
}

/* The last count, or a lower bound of it. */
static inline uint64_t extend_least(const struct extend_last *last)
{
	uint64_t high = (uint64_t)last->high << EXTEND_HIGH_SHIFT;

	if ((uint32_t)high >> EXTEND_HIGH_SHIFT != last->low >> EXTEND_HIGH_SHIFT)
		return high;
	return high | (last->low & ((UINT32_C(1) << EXTEND_HIGH_SHIFT) - 1));
}

/* The value of low for the next count. ns is 0 if the clock has failed. */
static inline uint64_t extend_low(const struct extend *x, const struct extend_last *last,
				  uint64_t ns)
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

/* The count, from a register and a clock that were read in this order after last was loaded. */
static inline uint64_t extend_count(const struct extend *x, const struct extend_last *last,
				    uint32_t ticks, uint64_t ns)
{
	uint64_t low = last->known ? extend_low(x, last, ns) : extend_first(x, ns);

	return low + (uint32_t)(ticks - (uint32_t)low);
}

/* The time to store. Without a clock it is the last one, or that of setup: an older time is
 * safe. */
static inline uint32_t extend_time(const struct extend *x, const struct extend_last *last,
				   uint64_t ns)
{
	if (ns == 0 && last->known)
		return last->time;
	return (uint32_t)((ns ? ns : x->ns) >> x->time_shift);
}

static inline void extend_store(struct extend *x, struct extend_thread *thread,
				const struct extend_last *last, uint64_t count, uint64_t ns)
{
	uint32_t time = extend_time(x, last, ns);
	uint64_t drift;

	/* Before the count only an earlier time is stored: a later one with the last count would
	 * hide the counts that have passed since. */
	if ((int32_t)(time - atomic_load_explicit(&thread->time, memory_order_relaxed)) < 0)
		atomic_store_explicit(&thread->time, time, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&thread->high, (uint32_t)(count >> EXTEND_HIGH_SHIFT),
			      memory_order_relaxed);
	atomic_store_explicit(&thread->low, (uint32_t)count, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	/* After the count the time is always stored: it may replace a handler's by one that is too
	 * old for the count, but never by one that is too young. */
	atomic_store_explicit(&thread->time, time, memory_order_relaxed);
	if (last->known && time == last->time)
		return;
	atomic_store_explicit(&thread->known, 1, memory_order_relaxed);
	/* All threads store here, but each at most once per unit of time: so the cores seldom fight
	 * for the cache line. */
	drift = (count - extend_estimate(x, ns)) >> EXTEND_HIGH_SHIFT;
	atomic_store_explicit(&x->drift, (uint32_t)drift, memory_order_relaxed);
}

/* The count by the register, or by the clock if the register faults on the way. */
static inline uint64_t extend_by_register(struct extend *x, struct extend_thread *thread,
					  uint64_t (*read)(void))
{
	const int saved_errno = errno;
	const struct extend_last last = extend_load(thread);
	uint64_t ns, count;
	uint32_t ticks;

	/* The register is read after this, so it is not behind the count of a handler. */
	atomic_signal_fence(memory_order_seq_cst);
	for (int i = 0; i < EXTEND_TRIES; i++) {
		ticks = (uint32_t)read();
		if (!ticks_clock(&ns))
			ns = 0;
		if ((uint32_t)read() - ticks < EXTEND_HELD_UP)
			break;
	}
	errno = saved_errno;
	if (atomic_load_explicit(&thread->closed, memory_order_relaxed))
		return extend_by_clock(x, thread);
	count = extend_count(x, &last, ticks, ns);
	extend_store(x, thread, &last, count, ns);
	return count;
}

static inline uint64_t extend_read(struct extend *x, struct extend_thread *thread,
				   uint64_t (*read)(void))
{
	published_fence();
	if (atomic_load_explicit(&thread->closed, memory_order_relaxed))
		return extend_by_clock(x, thread);
	return extend_by_register(x, thread, read);
}

#endif
