/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Cycles of the core where the counter counts something else: chains of known length are timed by
 * the same readings as the works, and next to them in time, because the core changes its frequency
 * from one millisecond to the next. cpucycles-measure(7), Core cycles, has the experiments.
 */

#ifndef CPUCYCLES_CYCLES_H
#define CPUCYCLES_CYCLES_H

#include <stddef.h>

/* Looks at the chains in one run, at most. */
#define CYCLES_LOOKS 1024

/* The longer chain of a look has CYCLES_LONGER times the rounds of the shorter one. */
#define CYCLES_LONGER 5

/* Whether the chain can be believed is looked at less often, because that takes as long again. */
#define CYCLES_CHECK_EVERY 8

/* Chains that were timed after one another, in units of the meter, without the overhead of a
 * reading: of the shorter and of the longer one. */
struct cycles_look {
	size_t round; /* they were timed before this round */
	double xors[2];
	double products[2], floats[2]; /* in each CYCLES_CHECK_EVERY'th look, from the first on */
	/* A chain as long as the last sample of this work. 0 rounds: there is none. */
	size_t work;
	unsigned long alike_rounds;
	double alike;
};

/* All looks of a run. */
struct cycles_looks {
	size_t n;
	unsigned long rounds; /* of the shorter chain */
	int missing;          /* CPUCYCLES_CYCLES_...: why there are no looks; 0: there are some */
	struct cycles_look of[CYCLES_LOOKS];
};

/* A sample that is longer than both is compared with a chain as long as the sample, but with
 * CYCLES_ALIKE_ROUNDS at most: hypervisors interrupt a program for a microsecond every 50, which a
 * long sample always meets, and a short chain seldom. */
#define CYCLES_ALIKE_ROUNDS 1000

/* Samples of more cycles are long: while one of these is taken, other programs may run. */
#define CYCLES_LONG 100000

/* A sample of more cycles has no figure in cycles: the core changes its frequency meanwhile. This
 * is a little more than the ten million that manuals state, so that these have one always. */
#define CYCLES_MOST 11e6

/* How far cycles per call may be off, in samples of so many calls: 0.5 % and four cycles of a
 * sample; of long samples 3 %. Work of less than 100 cycles reads up to 3.5 cycles too short. */
static inline double cycles_bound(double cycles, unsigned batch)
{
	return cycles * batch > CYCLES_LONG ? 0.03 * cycles : 0.005 * cycles + 4.0 / batch;
}

/* How the units of a sample become cycles, by a look before the sample. The look's shorter chain
 * takes away what all samples have in common: the reading of the counter. */
struct cycles_scale {
	double from;  /* units of the shorter chain */
	double per;   /* units in a cycle */
	double known; /* cycles of the shorter chain */
};

/* slowness: see cycles_slowness(). */
struct cycles_scale cycles_scale_of(const struct cycles_looks *looks, size_t look, double slowness);

static inline double cycles_by(const struct cycles_scale *scale, double units)
{
	return (units - scale->from) / scale->per + scale->known;
}

/* Units per cycle, as the exclusive-ors of this look have it. */
double cycles_units(const struct cycles_looks *looks, size_t look);

/* The median over each look of so many. room: for a value of each look. */
double cycles_median(const struct cycles_looks *looks, size_t every,
		     double (*value)(const struct cycles_looks *, size_t), double room[]);

/* How many times as long as a cycle an exclusive-or takes, by the multiplications: 1, or a little
 * more where something slows them. 0: the chains mean nothing: neither their ratio is a whole
 * number, nor do two kinds of multiplication say how slow the exclusive-ors are. */
double cycles_slowness(const struct cycles_looks *looks, double room[]);

#endif
