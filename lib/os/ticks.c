/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "os/ticks.h"
#include "rate.h"

#include <errno.h>

/* Pairs that are read at each end of the window. */
#define PAIRS 16

/* Both end the wait for the window's end: the first where the clock stands still, the second where
 * the counter does. */
#define WAITS 10000000
#define WINDOW_MAX_NS 100000000u

/* The narrowest of several pairs. Returns 0, or a negative errno. */
static int take_pair(const struct ticks_source *source, struct ticks_pair *best)
{
	*best = (struct ticks_pair){ .width = UINT64_MAX };
	for (int i = 0; i < PAIRS; i++) {
		uint64_t before, after, ticks;

		if (!ticks_clock(&before))
			return -errno;
		ticks = source->read();
		if (!ticks_clock(&after))
			return -errno;
		if (after - before < best->width)
			*best = (struct ticks_pair){
				.ticks = ticks,
				.ns = before + (after - before) / 2,
				.width = after - before,
			};
	}
	return best->width > WINDOW_MAX_NS ? -ERANGE : 0;
}

static uint64_t ticks_between(const struct ticks_source *source, uint64_t first, uint64_t last)
{
	return (last - first) & UINT64_MAX >> (64 - source->width);
}

uint64_t ticks_rate(const struct ticks_source *source, const struct ticks_pair *first,
		    const struct ticks_pair *last, uint64_t parts)
{
	uint64_t ticks = ticks_between(source, first->ticks, last->ticks);
	uint64_t ns = last->ns - first->ns;
	uint64_t hz;

	if (last->ns <= first->ns || first->width + last->width > ns / parts || ticks < 2 * parts ||
	    ticks > UINT64_MAX / CLOCK_NS_PER_S - 1)
		return 0;
	hz = (ticks * CLOCK_NS_PER_S + ns / 2) / ns;
	return rate_is_sane(hz) ? hz : 0;
}

/* Waits until least_ns and enough ticks have passed. A clock whose reading takes long needs a
 * longer window for the same precision. */
static void wait_for_end(const struct ticks_source *source, const struct ticks_pair *first,
			 uint64_t least_ns, uint64_t parts)
{
	for (int i = 0; i < WAITS; i++) {
		uint64_t ticks = ticks_between(source, first->ticks, source->read()), now, passed;

		if (!ticks_clock(&now))
			return;
		passed = now - first->ns;
		if (passed >= WINDOW_MAX_NS)
			return;
		if (passed >= least_ns && passed / parts >= first->width * 4 && ticks >= 2 * parts)
			return;
	}
}

int ticks_measure(const struct ticks_source *source, uint64_t least_ns, uint64_t parts,
		  uint64_t *hz)
{
	struct ticks_pair first, last;
	int error = take_pair(source, &first);

	if (error)
		return error;
	wait_for_end(source, &first, least_ns, parts);
	error = take_pair(source, &last);
	if (error)
		return error;
	*hz = ticks_rate(source, &first, &last, parts);
	return *hz ? 0 : -ERANGE;
}

int ticks_measured_rate(uint64_t (*read)(void), uint64_t *hz)
{
	const struct ticks_source source = { read, 64 };

	return ticks_measure(&source, TICKS_WINDOW_NS, TICKS_PARTS, hz);
}
