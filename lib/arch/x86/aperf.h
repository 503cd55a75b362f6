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
 * A thread was busy between two reads that are this many ticks apart: a sleep takes longer, and a
 * shorter time says little about the rate. But a wait for a lock may end earlier, so the core must
 * have run at a quarter of the rate of the time-stamp counter, too. It cannot have run at more than
 * the highest rate.
 */
#define APERF_BUSY_MIN 4096
#define APERF_BUSY_MAX 65536
#define APERF_BUSY_PART 4

#define APERF_RATIO_SHIFT 29 /* a ratio has 32 bits */
_Static_assert(APERF_RATIO_MAX < 1 << (32 - APERF_RATIO_SHIFT), "the highest ratio fits");

struct aperf_pair {
	uint64_t tsc, aperf; /* read in this order; a tsc of 0: they could not be read */
	uint32_t cpu; /* as the kernel stated it then; the same number always if it does not */
};

/* Of 32 bytes, so that there is little to copy. */
struct aperf_count {
	uint64_t tsc, aperf; /* the last pair; tsc is 0: there is none yet */
	uint64_t count;      /* the count there */
	uint32_t cpu;        /* of that pair */
	uint32_t ratio;      /* cycles per tick while the thread was busy; 0: not known yet */
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

/* Whether so many ticks can show the rate of a busy thread. */
static inline bool aperf_may_be_busy(uint64_t ticks)
{
	return ticks - APERF_BUSY_MIN <= APERF_BUSY_MAX - APERF_BUSY_MIN;
}

static inline bool aperf_was_busy(uint64_t ticks, uint64_t cycles)
{
	return aperf_may_be_busy(ticks) && cycles >= ticks / APERF_BUSY_PART &&
	       cycles <= ticks * APERF_RATIO_MAX;
}

/* Take the count to this pair. follows: what aperf_follows said. */
static inline void aperf_advance(struct aperf_count *c, const struct aperf_pair *now, bool follows)
{
	const uint64_t ticks = now->tsc - c->tsc, cycles = now->aperf - c->aperf;

	if (now->tsc == 0)
		return;
	if (c->tsc == 0) {
		/* The first pair is where the count begins: not at 0, which would look as if there
		 * were no counter. */
		c->count += c->count == 0;
	} else if (follows) {
		c->count += cycles;
		if (aperf_was_busy(ticks, cycles))
			c->ratio = (uint32_t)((cycles << APERF_RATIO_SHIFT) / ticks);
	} else if (ticks <= APERF_TICKS_MAX) {
		c->count += c->ratio ? scale_multiply(ticks, c->ratio, APERF_RATIO_SHIFT) : ticks;
	}
	c->tsc = now->tsc;
	c->aperf = now->aperf;
	c->cpu = now->cpu;
}

#endif
