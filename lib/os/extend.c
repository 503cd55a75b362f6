/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Setup, and the reads of a thread that has no count yet or no register any more; and why all reads
 * are right.
 *
 * Each thread goes on from its own last count. So threads do not race for a count that they share,
 * and cores whose registers differ disturb only a thread that moves between them.
 *
 * Let W be 2^32, last the thread's last count, a the counts that have really passed since then, and
 * e those that the clock and an estimated rate give for this time: at that rate e is never too
 * small, and at most W/8 too large. Of the W counts from low on, the new count is the one that has
 * the register in its lower 32 bits. It is right if low <= last + a < low + W, with
 *
 *	low = last                for e <= 2/3 W
 *	      last + 3/2 e - W    for e <= 4/3 W
 *	      last + e - 1/3 W    beyond
 *
 * - The count never steps back, whatever clock and register do, because low >= last.
 * - W + x counts never read as x, unless the register ran at more than 3/2 of the estimated rate:
 *   for e <= 4/3 W because low + W >= last + 3/2 e; beyond, because low >= last + W.
 * - For e <= 2/3 W, all a < W are right: the core may even have stood still.
 * - Pauses of any length are right in which the core counted at most W/8 less than at the estimated
 *   rate, or at most W/3 more.
 * - A core that counted still less, because it slept or was slowed down, has multiples of W added,
 *   up to e in all. Nothing tells how often a register has wrapped unseen, and the opposite error
 *   would make long work look short. To avoid that one, the estimated rate is the higher of two:
 *   what setup expects, which is the maximum where the frequency is scaled, and what the register
 *   does during setup.
 * - A clock that fails or is set back counts as no time. Wraps are then seen only if the thread
 *   reads at least once per wrap. A register that faults is replaced by the clock.
 *
 * A signal handler may read between any two instructions of its thread's read. The thread's state
 * is kept in words of 32 bits, which every CPU stores in one piece. After a handler the words may
 * come from two reads, but the order of loads and stores makes the upper word of the count as late
 * as the lower one or later, and the time as early as both or earlier.
 *
 * - The two words of the count overlap by four bits. If these disagree, the upper word alone is a
 *   lower bound of the count.
 * - A time that is too early makes e too large, which at most adds counts.
 * - A thread that was interrupted stores its read over the later one of its handler, which may have
 *   counted wraps. It stores its time first. Otherwise another handler between the next stores
 *   would find the thread's count with the first handler's time, and lose the counts between the
 *   two.
 */

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
