/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "pilot.h"
#include "raw-clock.h"
#include "statistics.h"

#include <math.h>

/* The pilot times batches of calls, because one call may be shorter than a step. */
#define PILOT_BATCH RUN_BATCH_SHORT
#define PILOT_BATCHES (RUN_PILOT / PILOT_BATCH)

/* If they take fewer than PILOT_STEPS steps, longer ones follow, each with PILOT_GROWTH times as
 * many calls as the one before. */
#define PILOT_STEPS 10
#define PILOT_GROWTH 4
#define PILOT_FEW 3

/* A pilot of slow works takes at most this part of the budget. */
#define PILOT_PART 10

/* No time is left for a comparison if one work takes FAR_APART times as long as the fastest one,
 * and, with the batch of the fastest one, more than budget / SLOW_PART for each sample. */
#define FAR_APART 100
#define SLOW_PART 10

/* Long batches have one of a few lengths, so that most processes of the tool find the same. */
unsigned pilot_batch(double steps_per_call, bool cycles, double most)
{
	unsigned batch = RUN_BATCH_SHORT;

	if (cycles || steps_per_call >= RUN_STEPS_SINGLE)
		return 1;
	if (steps_per_call * RUN_BATCH_SHORT >= RUN_STEPS_BATCH)
		return (unsigned)ceil(RUN_STEPS_BATCH / steps_per_call);
	while (batch < RUN_BATCH_MAX && 2.0 * batch <= most &&
	       !(steps_per_call * batch >= RUN_STEPS_BATCH))
		batch *= 2;
	return batch;
}

bool pilot_is_too_fast(double steps_per_call, unsigned batch)
{
	return !(steps_per_call * batch >= RUN_STEPS_SINGLE);
}

/* A batch of more than RUN_BATCH_SHORT calls may take so long. */
static uint64_t batch_ns(const struct setting *s)
{
	return s->budget_ns / RUN_BATCH_PART;
}

/* Single calls until the values are full or the time is over, but at least one value. Returns how
 * many there are. */
static size_t take_pilots(struct setting *s, struct track *track, uint64_t end_ns, double values[],
			  size_t n, size_t most)
{
	while (n < most && (n == 0 || raw_clock_ns() < end_ns))
		values[n++] = take_sample(s, track, 1, NULL);
	return n;
}

/* One length of batches. When the time is over, a few more follow if they are short: another
 * program may have had the CPU, and one of them tells little. *shortest_ns: of one of them. */
static double fly_in_batches_of(struct setting *s, struct track *track, unsigned batch,
				uint64_t end_ns, uint64_t *shortest_ns)
{
	double values[PILOT_BATCHES];
	uint64_t start = raw_clock_ns(), now;
	size_t n = 0;

	*shortest_ns = UINT64_MAX;
	do {
		values[n++] = take_sample(s, track, batch, NULL);
		now = raw_clock_ns();
		*shortest_ns = now - start < *shortest_ns ? now - start : *shortest_ns;
		start = now;
	} while (n < PILOT_BATCHES &&
		 (now < end_ns || (n < PILOT_FEW && *shortest_ns < batch_ns(s))));
	return statistics_median(values, n);
}

/* Batches, longer and longer ones until they take steps enough, or as long as a sample may. */
static double fly_in_batches(struct setting *s, struct track *track, uint64_t end_ns)
{
	unsigned batch = PILOT_BATCH;
	uint64_t shortest_ns;
	double per_call;

	for (;;) {
		per_call = fly_in_batches_of(s, track, batch, end_ns, &shortest_ns);
		if (per_call * batch >= PILOT_STEPS * s->instrument->resolution ||
		    batch > RUN_BATCH_MAX / PILOT_GROWTH)
			return per_call;
		if (shortest_ns >= batch_ns(s)) {
			s->most = batch < s->most ? batch : s->most;
			return per_call;
		}
		batch *= PILOT_GROWTH;
	}
}

/* Single calls. The mean, because a call may be shorter than a step. */
static double fly_singly(struct setting *s, struct track *track, uint64_t end_ns)
{
	double values[RUN_PILOT];
	const size_t n = take_pilots(s, track, end_ns, values, 0, RUN_PILOT);

	statistics_sort(values, n);
	return statistics_smooth_iqm(values, n, s->instrument->resolution);
}

/* The pilot: a call that is not counted, because the first one finds nothing in the caches; then
 * batches, or single calls if the work is slow. */
static void fly(struct setting *s, size_t i, uint64_t budget_ns)
{
	struct track *track = &s->run->tracks[i];
	double values[PILOT_BATCHES];
	uint64_t start, end;
	size_t n = 1;
	bool slow;

	take_sample(s, track, 1, NULL);
	track->unrestored.signal = take_see_mask(s);
	start = raw_clock_ns();
	end = start + budget_ns;
	if (s->run->single) {
		track->pilot = fly_singly(s, track, end);
		return;
	}
	values[0] = take_sample(s, track, 1, NULL);
	slow = raw_clock_ns() - start > budget_ns / RUN_PILOT;
	if (slow)
		n = take_pilots(s, track, end, values, n, PILOT_BATCHES);
	track->pilot = statistics_median(values, n);
	/* A call that was interrupted looks slow. */
	if (!slow || !(track->pilot >= RUN_STEPS_SINGLE * s->instrument->resolution))
		track->pilot = fly_in_batches(s, track, end);
}

/* The batch for the fastest work, in as much time as the slowest one leaves. False: there is none,
 * and run->iterations is the longest that there could be. */
static bool choose_batch(struct setting *s, double fewest, double most)
{
	struct run *run = s->run;
	const bool cycles = s->source->unit == CPUCYCLES_UNIT_CYCLES;
	const double call_ns = most * s->instrument->resolution_ns;

	if (run->iterations_given) {
		run->iterations = run->iterations_given;
		return true;
	}
	if (run->single)
		return !pilot_is_too_fast(fewest, 1);
	run->iterations = pilot_batch(fewest, cycles, fmin(s->most, (double)batch_ns(s) / call_ns));
	if (run->iterations > 1 && most > FAR_APART * fewest &&
	    run->iterations * call_ns > (double)s->budget_ns / SLOW_PART)
		return false;
	/* Cycles are exact, so a call may be shorter than RUN_STEPS_SINGLE of them. */
	return !pilot_is_too_fast(fewest, cycles ? RUN_BATCH_SHORT : run->iterations);
}

bool pilot_all(struct setting *s)
{
	struct run *run = s->run;
	double fewest = INFINITY, most = 0;
	size_t fastest = 0;

	for (size_t i = 0; i < run->works; i++) {
		double steps;

		fly(s, i, s->budget_ns / PILOT_PART / run->works);
		steps = run->tracks[i].pilot / s->instrument->resolution;
		most = fmax(most, steps);
		if (steps >= fewest)
			continue;
		fewest = steps;
		fastest = i;
	}
	if (choose_batch(s, fewest, most))
		return true;
	run->too_fast = fastest;
	return false;
}
