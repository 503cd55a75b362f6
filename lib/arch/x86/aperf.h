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
 * The rate of a busy thread, in cycles per tick, comes from windows of so many ticks at least, of
 * one read or of many. While the CPU is idle, APERF stands still. So a window in which the thread
 * has waited shows a rate that is too low, and a long window may be nearly all sleep. A window
 * raises the rate that is known at once. It lowers it by a part at most: a short window by one
 * sixteenth, a long one by one sixty-fourth. So a core that becomes slower for good is known after
 * some windows.
 */
#define APERF_WINDOW 65536
#define APERF_WINDOW_SHORT (2 * APERF_WINDOW)
#define APERF_WINDOW_LONG (UINT64_C(1) << 24)
#define APERF_LOWER_SHORT 16
#define APERF_LOWER_LONG 64

/* No busy core is slower than its time-stamp counter by more. */
#define APERF_BUSY_PART 4

/* A pair takes fewer ticks, unless an interrupt comes between its two reads. Such a pair does not
 * end a window, because the interrupt would be in the cycles and not in the ticks. Where a host
 * emulates the reads, every pair takes longer, and the rate stays unknown. */
#define APERF_PAIR_TICKS 1024

#define APERF_RATIO_SHIFT 29 /* a ratio has 32 bits */
_Static_assert(APERF_RATIO_MAX < 1 << (32 - APERF_RATIO_SHIFT), "the highest ratio fits");

struct aperf_pair {
	uint64_t tsc, aperf; /* read in this order; a tsc of 0: they could not be read */
	uint32_t cpu; /* as the kernel stated it then; the same number always if it does not */
};

struct aperf_count {
	uint64_t tsc, aperf;           /* the last pair; tsc is 0: there is none yet */
	uint64_t count;                /* the count there */
	uint64_t from_tsc, from_count; /* where the window begins */
	uint32_t cpu;                  /* of the last pair */
	uint32_t ratio; /* cycles per tick while the thread was busy; 0: not known yet */
};

static inline struct aperf_pair aperf_last(const struct aperf_count *c)
{
	return (struct aperf_pair){ c->tsc, c->aperf, c->cpu };
}

/* Whether APERF has counted on one CPU from the last pair to this one. If an interrupt came between
 * the two reads of *now, the answer may be no although the thread has not moved. So whoever gets a
 * no should read again and ask again. */
static inline bool aperf_follows(const struct aperf_pair *last, const struct aperf_pair *now)
{
	const uint64_t ticks = now->tsc - last->tsc, cycles = now->aperf - last->aperf;

	return now->cpu == last->cpu && ticks <= APERF_TICKS_MAX &&
	       cycles <= ticks * APERF_RATIO_MAX + APERF_SLACK;
}

/* Whether this pair may end the window. Then whoever reads should see that it took no longer than
 * APERF_PAIR_TICKS. */
static inline bool aperf_is_due(const struct aperf_count *c, const struct aperf_pair *now)
{
	return now->tsc - c->from_tsc >= APERF_WINDOW;
}

static inline void aperf_begin_window(struct aperf_count *c)
{
	c->from_tsc = c->tsc;
	c->from_count = c->count;
}

/* The window ends at the last pair. */
static inline void aperf_end_window(struct aperf_count *c)
{
	const uint64_t ticks = c->tsc - c->from_tsc, cycles = c->count - c->from_count;

	if (ticks <= APERF_WINDOW_LONG && cycles >= ticks / APERF_BUSY_PART &&
	    cycles <= ticks * APERF_RATIO_MAX) {
		const uint32_t shown = (uint32_t)((cycles << APERF_RATIO_SHIFT) / ticks);
		const uint32_t part =
			ticks <= APERF_WINDOW_SHORT ? APERF_LOWER_SHORT : APERF_LOWER_LONG;
		const uint32_t least = c->ratio - c->ratio / part;

		c->ratio = shown > least ? shown : least;
	}
	aperf_begin_window(c);
}

/* Take the count to this pair. follows: what aperf_follows said. ends: the pair is due, and took no
 * longer than APERF_PAIR_TICKS. */
static inline void aperf_advance(struct aperf_count *c, const struct aperf_pair *now, bool follows,
				 bool ends)
{
	const uint64_t ticks = now->tsc - c->tsc, cycles = now->aperf - c->aperf;
	const bool first = c->tsc == 0;

	if (now->tsc == 0)
		return;
	if (first)
		c->count += c->count == 0; /* 0 would look as if there were no counter */
	else if (follows)
		c->count += cycles;
	else if (ticks <= APERF_TICKS_MAX)
		c->count += c->ratio ? scale_multiply(ticks, c->ratio, APERF_RATIO_SHIFT) : ticks;
	c->tsc = now->tsc;
	c->aperf = now->aperf;
	c->cpu = now->cpu;
	if (first || !follows)
		aperf_begin_window(c);
	else if (ends)
		aperf_end_window(c);
}

#endif
