/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Setup, and the reads of a thread that has no count yet or no register any more. */

#include "config.h"

#include "os/extend.h"

/*
 * A unit of time is at most 2^30 ns, and at most W/16 counts pass in it. A pause may be as long as
 * 2^31 units, which are 4 years at 4 GHz.
 */
#define TIME_SHIFT_MAX 30
#define TIME_COUNTS (EXTEND_WRAP / 16)

/* Setup measures several times and takes the median, because the thread may move to a core with
 * another register while it measures. */
#define WINDOWS 3
#define WINDOW_NS 200000u
#define PARTS 100

void extend_begin(struct extend *x, uint64_t hz, uint32_t ticks, uint64_t ns)
{
	x->ns = ns;
	x->multiplier = scale_multiplier((struct ratio){ hz, CLOCK_NS_PER_S }, EXTEND_SCALE_SHIFT);
	x->time_shift = TIME_SHIFT_MAX;
	while (x->time_shift > 0 && extend_scale(x, UINT64_C(1) << x->time_shift) > TIME_COUNTS)
		x->time_shift--;
	atomic_store_explicit(&x->drift, ticks >> EXTEND_HIGH_SHIFT, memory_order_relaxed);
}

/* What the register does now, in counts per second. 0: unknown. */
static uint64_t measure(uint64_t (*read)(void))
{
	const struct ticks_source source = { read, 32 };
	uint64_t sorted[WINDOWS] = { 0 };

	for (int i = 0; i < WINDOWS; i++) {
		uint64_t hz = 0;
		int place = i;

		ticks_measure(&source, WINDOW_NS, PARTS, &hz);
		for (; place > 0 && sorted[place - 1] > hz; place--)
			sorted[place] = sorted[place - 1];
		sorted[place] = hz;
	}
	return sorted[WINDOWS / 2];
}

int extend_setup(struct extend *x, struct extend_thread *thread, uint64_t (*read)(void),
		 uint64_t expected)
{
	uint64_t measured, ns;

	atomic_store_explicit(&thread->closed, EXTEND_OPEN, memory_order_relaxed);
	if (!ticks_clock(&ns))
		return -errno;
	if (x->expected == expected)
		return 0;
	measured = measure(read);
	if (!ticks_clock(&ns))
		return -errno;
	x->expected = expected;
	extend_begin(x, measured > expected ? measured : expected, (uint32_t)read(), ns);
	return 0;
}

/* The other threads' counts make the middle of the W counts from low on the likely place. */
uint64_t extend_first(const struct extend *x, uint64_t ns)
{
	uint32_t drift = atomic_load_explicit(&x->drift, memory_order_relaxed);
	int64_t likely = (int64_t)(extend_estimate(x, ns) + extend_drift(drift));

	return likely > (int64_t)EXTEND_WRAP / 2 ? (uint64_t)likely - EXTEND_WRAP / 2 : 0;
}

/* The clock at the last count, less than a unit of time too early. */
static uint64_t last_ns(const struct extend *x, const struct extend_last *last, uint64_t ns)
{
	int32_t units = (int32_t)((uint32_t)(ns >> x->time_shift) - last->time);

	return units < 0 ? ns : ((ns >> x->time_shift) - (uint32_t)units) << x->time_shift;
}

void extend_leave(const struct extend *x, struct extend_thread *thread,
		  const struct extend_last *last, uint64_t ns)
{
	uint32_t drift = atomic_load_explicit(&x->drift, memory_order_relaxed);
	uint64_t beyond;

	if (last->known) {
		beyond = extend_least(last) - extend_estimate(x, last_ns(x, last, ns));
		drift = (uint32_t)(beyond >> EXTEND_HIGH_SHIFT) + 1;
	}
	atomic_store_explicit(&thread->drift, drift, memory_order_relaxed);
	atomic_signal_fence(memory_order_seq_cst);
	atomic_store_explicit(&thread->closed, EXTEND_BY_CLOCK, memory_order_relaxed);
}

uint64_t extend_by_clock(struct extend *x, struct extend_thread *thread)
{
	const int saved_errno = errno;
	const struct extend_last last = extend_load(thread);
	uint64_t least = last.known ? extend_least(&last) : 0, count, ns;
	const bool clock_works = ticks_clock(&ns);

	errno = saved_errno;
	if (!clock_works)
		return least;
	if (atomic_load_explicit(&thread->closed, memory_order_relaxed) != EXTEND_BY_CLOCK)
		extend_leave(x, thread, &last, ns);
	count = extend_estimate(x, ns) +
		extend_drift(atomic_load_explicit(&thread->drift, memory_order_relaxed));
	if ((int64_t)(count - least) < 0)
		count = least;
	extend_store(x, thread, &last, count, ns);
	return count;
}
