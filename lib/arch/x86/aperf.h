/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A thread's count of core cycles from APERF, a register of the CPU. Pure.
 *
 * Each CPU has its own APERF, so its value jumps when the thread moves to another CPU, and stands
 * still while the CPU is idle. The time-stamp counter does neither. So it is read just before
 * APERF, and the two are kept as a pair. APERF counted on one CPU from the last pair to this one if
 * it rose by no more than a core can run in the ticks in between. Otherwise the thread has moved,
 * and the cycles are estimated from the ticks.
 *
 * Sources: AMD64 APM volume 2, 17.5 "Effective Frequency", and volume 3, RDPRU.
 */

#ifndef CPUCYCLES_APERF_H
#define CPUCYCLES_APERF_H

#include "scale.h"

#include <stdbool.h>
#include <stdint.h>

/* No core runs at more than this many times the rate of its time-stamp counter. */
#define APERF_RATIO_MAX 4

/* Reading the pair itself takes cycles, during which the time-stamp counter may not show a step. */
#define APERF_SLACK 1000

/* More ticks than this, 17 years at 4 GHz, are a time-stamp counter that was set. */
#define APERF_TICKS_MAX (UINT64_C(1) << 61)

/*
 * The rate of a busy thread, in cycles per tick, comes from windows of at least APERF_WINDOW ticks,
 * of one read or of many. While the CPU is idle, APERF stands still. So a window in which the
 * thread has waited shows a rate that is too low, and a long window may be nearly all sleep. A
 * window raises the rate that is known at once. It lowers it by a part at most: a short window by
 * one sixteenth, a long one by one sixty-fourth. So a core that becomes slower for good is known
 * after some windows. A very long window lowers nothing, and shows no rate below one cycle per
 * tick.
 */
#define APERF_WINDOW 65536
#define APERF_WINDOW_SHORT (2 * APERF_WINDOW)
#define APERF_WINDOW_LONG (UINT64_C(1) << 24)
#define APERF_WINDOW_LONGEST (UINT64_C(1) << 32)
#define APERF_LOWER_SHORT 16
#define APERF_LOWER_LONG 64

/* No busy core is slower than its time-stamp counter by more. */
#define APERF_BUSY_PART 4

/* A pair takes fewer ticks, unless an interrupt comes between its two reads. A window that begins
 * or ends with such a pair shows no rate, because the interrupt would be in the cycles and not in
 * the ticks. Where a host emulates the reads, every pair takes longer, and the rate stays unknown.
 */
#define APERF_PAIR_TICKS 1024

/* A pair that took APERF_PAUSE_TICKS does not begin a window: it is read again. Where every read
 * is slow, as under a tracer, that does not make each count two reads. */
#define APERF_PAUSE_TICKS (4 * APERF_WINDOW)

/* A window also ends before it has APERF_WINDOW_CYCLES. Only a time-stamp counter that stands still
 * for long lets it come to that. */
#define APERF_WINDOW_CYCLES (UINT64_C(1) << 24)

#define APERF_RATIO_SHIFT 29 /* a ratio has 32 bits */
#define APERF_RATIO_ONE (UINT32_C(1) << APERF_RATIO_SHIFT)
_Static_assert(APERF_RATIO_MAX < 1 << (32 - APERF_RATIO_SHIFT), "the highest ratio fits");

/* Neither a CPU has this number, nor does the kernel state it where it knows of none. */
#define APERF_NO_CPU UINT32_C(0x80000000)

struct aperf_pair {
	uint64_t tsc, aperf; /* read in this order; one of them is 0: it could not be read */
	uint32_t cpu;        /* the CPU's number then; always the same number if it is unknown */
};

/* The reads of a thread from one pair on, all of them on one CPU. */
struct aperf_window {
	uint64_t tsc, aperf; /* the first pair */
	uint64_t offset;     /* the count is APERF plus this number */
	uint32_t cpu;        /* of all pairs; APERF_NO_CPU: there is none yet */
	bool tight;          /* the first pair took fewer than APERF_PAIR_TICKS */
};

struct aperf_count {
	struct aperf_window window;
	uint64_t ticks, cycles; /* from the window's first pair to the last pair */
	uint32_t ratio;         /* cycles per tick while the thread was busy; 0: not known yet */
};

static inline struct aperf_pair aperf_last(const struct aperf_count *c)
{
	const struct aperf_window *w = &c->window;

	return (struct aperf_pair){ w->tsc + c->ticks, w->aperf + c->cycles, w->cpu };
}

/* The count at the last pair. */
static inline uint64_t aperf_value(const struct aperf_count *c)
{
	return c->window.aperf + c->cycles + c->window.offset;
}

/* Whether a core can run these cycles in these ticks. */
static inline bool aperf_can_run(uint64_t ticks, uint64_t cycles)
{
	return cycles <= ticks * APERF_RATIO_MAX + APERF_SLACK;
}

/* Whether APERF has counted on one CPU from the last pair to this one. If an interrupt came between
 * the two reads of *now, the answer may be no although the thread has not moved. So whoever gets a
 * no should read again and ask again. */
static inline bool aperf_follows(const struct aperf_pair *last, const struct aperf_pair *now)
{
	const uint64_t ticks = now->tsc - last->tsc;

	return now->cpu == last->cpu && ticks <= APERF_TICKS_MAX &&
	       aperf_can_run(ticks, now->aperf - last->aperf);
}

/* Whether a new window begins at this pair, even if it follows the last one. */
static inline bool aperf_is_due(const struct aperf_window *w, const struct aperf_pair *now)
{
	return now->tsc - w->tsc >= APERF_WINDOW || now->aperf - w->aperf >= APERF_WINDOW_CYCLES;
}

/* Take the count to a pair that follows the last one and is in the window. */
static inline void aperf_stay(struct aperf_count *c, const struct aperf_pair *now)
{
	c->ticks = now->tsc - c->window.tsc;
	c->cycles = now->aperf - c->window.aperf;
}

/* The ratio that is known when the window ends at this pair, which follows the last one. */
static inline uint32_t aperf_learn(const struct aperf_count *c, const struct aperf_pair *now)
{
	const uint64_t ticks = now->tsc - c->window.tsc, cycles = now->aperf - c->window.aperf;
	const uint32_t part = ticks <= APERF_WINDOW_SHORT ? APERF_LOWER_SHORT : APERF_LOWER_LONG;
	const uint32_t least = c->ratio - c->ratio / part;
	uint32_t shown;

	if (ticks > APERF_WINDOW_LONGEST || cycles < ticks / APERF_BUSY_PART ||
	    cycles > ticks * APERF_RATIO_MAX)
		return c->ratio;
	shown = (uint32_t)((cycles << APERF_RATIO_SHIFT) / ticks);
	if (ticks > APERF_WINDOW_LONG && (shown < c->ratio || shown < APERF_RATIO_ONE))
		return c->ratio;
	return shown > least ? shown : least;
}

/* Take the count to this pair, where a new window begins. follows: what aperf_follows said. tight:
 * the pair took fewer than APERF_PAIR_TICKS. */
static inline void aperf_begin(struct aperf_count *c, const struct aperf_pair *now, bool follows,
			       bool tight)
{
	struct aperf_window *w = &c->window;
	const struct aperf_pair last = aperf_last(c);
	const uint64_t ticks = now->tsc - last.tsc;
	uint64_t value = aperf_value(c);

	if (follows)
		value += now->aperf - last.aperf;
	else if (w->cpu != APERF_NO_CPU && ticks <= APERF_TICKS_MAX)
		value += c->ratio ? scale_multiply(ticks, c->ratio, APERF_RATIO_SHIFT) : ticks;
	if (follows && w->tight && tight)
		c->ratio = aperf_learn(c, now);
	w->tsc = now->tsc;
	w->aperf = now->aperf;
	w->offset = value - now->aperf;
	w->cpu = now->cpu;
	w->tight = tight;
	c->ticks = c->cycles = 0;
}

#endif
