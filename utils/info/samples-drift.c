/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The mean rate of a counter from its first reading on, held against the rate that is stated, or,
 * if none is stated, against the rate of its first row. */

#include "config.h"

#include "raw-clock.h"
#include "samples-figures.h"
#include "samples-run.h"

#include <inttypes.h>
#include <stdio.h>

#define ROW_NS 100000000u

/* An interrupt may fall into any reading, and the first one after a pause finds cold caches. The
 * reading in which the counts around the clock are closest is kept. */
#define TRIES 5

struct drift {
	struct samples_counter counter;
	struct reading first;
	bool lost;
};

/* Counters that run at one rate. Comment lines name the others, and those whose rate is not
 * stated. */
static size_t choose(const struct samples_run *run, struct drift drifts[COUNTERS_MAX])
{
	struct samples_counter counters[COUNTERS_MAX];
	const size_t all = samples_counters(run, counters);
	size_t n = 0;

	for (size_t i = 0; i < all; i++) {
		/* The rate of an off-core counter may be unknown, such as a time-stamp counter's
		 * without a cache. How steady it is can be seen without it. */
		const bool own =
			counters[i].counter->class == COUNTER_OFF_CORE && !counters[i].rate.hz;

		if (own)
			samples_comment("own_rate", counters[i].counter->name);
		if (own || samples_has_rate(&counters[i]))
			drifts[n++] = (struct drift){ .counter = counters[i] };
		else
			samples_comment("without_rate", counters[i].counter->name);
	}
	return n;
}

/* Read the counter before and after the clock, and take the middle. */
static struct reading read_with_clock(long long (*read)(void), uint64_t *width)
{
	const uint64_t before = (uint64_t)read(), ns = raw_clock_ns();

	*width = (uint64_t)read() - before;
	return (struct reading){ (int64_t)(before + *width / 2), ns };
}

static struct reading take_best(long long (*read)(void))
{
	uint64_t narrowest, width;
	struct reading best = read_with_clock(read, &narrowest);

	for (int i = 1; i < TRIES; i++) {
		const struct reading now = read_with_clock(read, &width);

		if (width >= narrowest)
			continue;
		best = now;
		narrowest = width;
	}
	return best;
}

static void print_row(struct drift *d)
{
	const struct reading now = take_best(d->counter.read);
	double ppm, hz;

	/* The rate of the first row, where none is stated. */
	if (!d->counter.rate.hz && samples_hz(d->first, now, &hz))
		d->counter.rate.hz = (uint64_t)(hz + 0.5);
	d->lost = d->lost || samples_is_lost(&d->counter);
	if (d->lost || !d->counter.rate.hz ||
	    !samples_residual(d->first, now, d->counter.rate.hz, &ppm))
		return;
	printf("%s\t%.6f\t%.4f\t", d->counter.counter->name, (double)(now.ns - d->first.ns) * 1e-9,
	       ppm);
	if (d->counter.bounded)
		printf("%" PRIu32 "\n", d->counter.rate.ppm);
	else
		printf("unknown\n");
}

bool samples_drift(struct samples_run *run)
{
	struct drift drifts[COUNTERS_MAX];
	const size_t n = choose(run, drifts);

	printf("counter\tseconds\tresidual_ppm\tbound_ppm\n");
	samples_stay_here();
	samples_begin(run);
	for (size_t i = 0; i < n; i++)
		drifts[i].first = take_best(drifts[i].counter.read);
	for (uint64_t row = 1; n && row * ROW_NS <= run->budget_ns; row++) {
		samples_sleep_until(run, row * ROW_NS);
		for (size_t i = 0; i < n; i++)
			if (!drifts[i].lost)
				print_row(&drifts[i]);
		if (!samples_hand_out(run))
			return false;
	}
	return true;
}
