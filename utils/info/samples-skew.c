/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* All pairs of CPUs, one after the other: in each round one CPU reads the counter between two reads
 * of the other CPU. */

#include "config.h"

#include "affinity.h"
#include "samples-figures.h"
#include "samples-run.h"
#include "skew.h"

#include <inttypes.h>
#include <stdio.h>

/* A part of the rounds of a pair. Should this process be killed, its child goes on for no longer
 * than that. */
#define PART_NS 100000000u

/* With very many CPUs the time for all is longer than asked for, because each pair gets this. */
#define PAIR_NS_MIN 200000u

/* A busy machine may not let two processes run at once. */
#define TRIES 3

struct pair {
	int here, there;
	struct skew_bounds bounds;
	uint64_t rounds; /* 0: not measured */
	bool steady;     /* all parts have found the same distance */
};

/* cpucycles_counter_ready promises a reader that does not fault, and the clock was asked before. */
static int call_plainly(void (*call)(void *), void *argument)
{
	call(argument);
	return 0;
}

/* The first counter of the ranking with a rate of its own that is known. False: there is none. */
static bool choose(const struct samples_run *run, struct samples_counter *chosen)
{
	struct samples_counter counters[COUNTERS_MAX];
	const size_t n = samples_counters(run, counters);

	chosen->rank = SIZE_MAX;
	for (size_t i = 0; i < n; i++)
		if (samples_has_rate(&counters[i]) && counters[i].rank < chosen->rank)
			*chosen = counters[i];
	return chosen->rank < SIZE_MAX;
}

/* Measure a part, and keep what it has narrowed. On a busy machine there may be nothing to keep. */
static void measure_part(const struct skew_source *source, uint64_t budget_ns, struct pair *pair)
{
	struct skew_pair part = { .here = pair->here, .there = pair->there };
	bool known = false;

	for (int i = 0; i < TRIES && !known; i++)
		known = skew_measure_pair(source, budget_ns, &part);
	if (!known)
		return;
	pair->rounds += part.rounds;
	pair->steady &= samples_narrow(&pair->bounds, part.bounds);
}

static void print_row(const struct samples_counter *c, const struct pair *pair)
{
	const double tick = (double)c->scaling.num / (double)c->scaling.den;
	double offset, bound;

	printf("%d\t%d\t", pair->here, pair->there);
	if (pair->rounds && pair->steady) {
		samples_offset(pair->bounds, c->rate.hz, tick, &offset, &bound);
		printf("%.1f\t%.1f", offset, bound);
	} else {
		printf("unknown\tunknown");
	}
	printf("\t%" PRIu64 "\n", pair->rounds);
}

/* Measure the pair until that time, and for a moment at least. False: rows cannot be written. */
static bool measure_pair(struct samples_run *run, const struct samples_counter *c, int here,
			 int there, uint64_t until_ns)
{
	const struct skew_source source = { .read = c->read, .guarded = call_plainly };
	struct pair pair = { here, there, { INT64_MIN, INT64_MAX }, 0, true };
	uint64_t now = samples_elapsed_ns(run);

	do {
		uint64_t left = until_ns > now ? until_ns - now : 0;

		left = left < PAIR_NS_MIN ? PAIR_NS_MIN : left;
		measure_part(&source, left < PART_NS ? left : PART_NS, &pair);
		if (!samples_hand_out(run))
			return false;
		now = samples_elapsed_ns(run);
	} while (now < until_ns);
	print_row(c, &pair);
	return samples_hand_out(run);
}

static bool measure_pairs(struct samples_run *run, const struct samples_counter *c, uint64_t pairs)
{
	uint64_t done = 0;

	for (int here = 0; here < AFFINITY_CPUS_MAX; here++) {
		if (!affinity_allows(here))
			continue;
		for (int there = here + 1; there < AFFINITY_CPUS_MAX; there++) {
			if (!affinity_allows(there))
				continue;
			done++;
			if (!measure_pair(run, c, here, there, run->budget_ns / pairs * done))
				return false;
		}
	}
	return true;
}

bool samples_skew(struct samples_run *run)
{
	struct samples_counter counter;
	const bool chosen = choose(run, &counter);
	uint64_t cpus;

	affinity_save();
	cpus = (uint64_t)affinity_count();
	samples_comment_number("cpus", cpus);
	samples_comment("skew_counter", chosen ? counter.counter->name : "unknown");
	printf("cpu\tother_cpu\toffset_ns\tbound_ns\trounds\n");
	samples_begin(run);
	return !chosen || cpus < 2 || measure_pairs(run, &counter, cpus * (cpus - 1) / 2);
}
