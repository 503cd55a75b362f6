/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "instrument.h"
#include "pair.h"
#include "raw-clock.h"
#include "statistics.h"
#include "step.h"

#include <stddef.h>

/*
 * Between two reads for the step there is work of another length each time: else all differences
 * would be the same, and the step could be any divisor. The rounds of the two loops take different
 * numbers of instructions: else all differences would be multiples of one round on a machine whose
 * instructions all take the same time. Primes, so that no pattern repeats.
 */
#define ROUNDS 61
#define LONGER_ROUNDS 7

/* MOVES differences above 0 tell the step. A counter that moves seldom is watched until it has
 * moved MOVES times. */
#define MOVES 100

static double between(const struct source *source, int64_t from, int64_t to)
{
	return (double)(to - from) * source->units;
}

static void idle(unsigned rounds, unsigned longer_rounds)
{
	volatile unsigned sink = 0;

	while (rounds-- > 0)
		sink = 1;
	while (longer_rounds-- > 0) {
		sink = 1;
		sink = 2;
	}
	(void)sink;
}

/* Returns how many of the differences are above 0. */
static size_t read_on(const struct source *source, double differences[], size_t n)
{
	int64_t last = pair_count(source);
	size_t moved = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t now;

		idle((unsigned)(i % ROUNDS), (unsigned)(i % LONGER_ROUNDS));
		now = pair_count(source);
		differences[i] = between(source, last, now);
		moved += now > last;
		last = now;
	}
	return moved;
}

/* Wait for each move of a counter that shows one value for a long time. Before each move, a
 * difference of 0 says that the counter stood still: without it, all differences might be one
 * step, which could as well be many small ones. Returns the number of differences. */
static size_t watch(const struct source *source, double differences[])
{
	const uint64_t end = raw_clock_ns() + INSTRUMENT_WATCH_NS;
	int64_t last = pair_count(source);
	bool still = false;
	size_t n = 0;

	while (n < 2 * MOVES && raw_clock_ns() < end) {
		const int64_t now = pair_count(source);

		if (now == last) {
			still = true;
			continue;
		}
		if (still)
			differences[n++] = 0;
		differences[n++] = between(source, last, now);
		last = now;
		still = false;
	}
	return n;
}

static double find_step(const struct source *source, double differences[])
{
	size_t n = INSTRUMENT_PAIRS;

	if (read_on(source, differences, n) < MOVES)
		n = watch(source, differences);
	return step_find(differences, n, source->rounding);
}

/* Nanoseconds per unit, from now on since these two were read. 0: the counter stands still. */
static double unit_ns(const struct source *source, int64_t count, uint64_t ns)
{
	const double units = between(source, count, pair_count(source));

	return units > 0 ? (double)(raw_clock_ns() - ns) / units : 0;
}

void instrument_measure(const struct source *source, double scratch[],
			struct instrument *instrument)
{
	const int64_t count = pair_count(source);
	const uint64_t ns = raw_clock_ns();

	instrument->resolution = find_step(source, scratch);
	instrument_renew_overhead(source, scratch, instrument);
	instrument->resolution_ns = instrument->resolution * unit_ns(source, count, ns);
}

void instrument_renew_overhead(const struct source *source, double scratch[],
			       struct instrument *instrument)
{
	for (size_t i = 0; i < INSTRUMENT_PAIRS; i++) {
		struct pair pair = pair_take(source, NULL, NULL, 0);

		for (int tries = 1; pair.moved && tries < PAIR_TRIES; tries++)
			pair = pair_take(source, NULL, NULL, 0);
		scratch[i] = between(source, pair.begin, pair.end);
	}
	statistics_sort(scratch, INSTRUMENT_PAIRS);
	instrument->overhead =
		statistics_smooth_iqm(scratch, INSTRUMENT_PAIRS, instrument->resolution);
	instrument->overhead_iqr = statistics_quantile(scratch, INSTRUMENT_PAIRS, 0.75) -
				   statistics_quantile(scratch, INSTRUMENT_PAIRS, 0.25);
}
