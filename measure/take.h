/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One sample: the calls of a batch between two reads, and what is seen meanwhile. */

#ifndef CPUCYCLES_TAKE_H
#define CPUCYCLES_TAKE_H

#include "pair.h"
#include "samples.h"

/* What the kernel has counted of this thread, and the time. */
struct usage {
	long interruptions; /* how often another thread got the CPU, although this one needed it */
	uint64_t cpu_ns, wall_ns;
};

/* What changes when this thread waits for something, or when a child of the process ends. */
struct waits {
	long own;      /* how often the thread has waited */
	long children; /* the page faults of the children that have ended */
};

/* What the steps of a run share. */
struct setting {
	struct run *run;
	const struct source *source;
	struct instrument *instrument;
	uint64_t start_ns, start_cpu_ns, budget_ns;
	struct waits waits; /* before the first call of all */
	uint64_t state;     /* of the numbers that draw the orders */
	bool balanced;      /* the orders of as many rounds as there are turns */
	unsigned more;      /* samples that do not count, in the second places of this round */
	int64_t last;       /* the last count */
	bool moved;         /* the last pair's thread has moved: see pair.h */
	unsigned most;      /* calls in a batch, as the pilots tell */
	int cpu;
	/* Of the chains: see chain-look.h. */
	uint64_t look_due_ns;
	double round_units, long_units; /* of a round, and of a long sample; 0: not known */
	double round_ns;                /* in the fastest look */
	size_t look_work;               /* whose turn it is */
	struct state own;               /* of this thread, between the works */
};

/* Whether the thread blocks other signals than at the last look. */
static inline int take_see_mask(const struct setting *s)
{
	return s->run->see_mask ? s->run->see_mask() : 0;
}

/* One sample of batch calls, in units per call, in the state of the work's own file.
 * event_sums: NULL, or add its events there. */
double take_sample(struct setting *s, struct track *track, unsigned batch, double event_sums[]);

/* The time for which this thread has had a CPU. 0: the system does not tell. */
uint64_t take_cpu_ns(void);

struct usage take_usage_before(void);
struct usage take_usage_after(void);

/* The part of the time between the two in which this thread had the CPU. 1: all of it. Pure. */
double take_own_part(const struct usage *before, const struct usage *after);

/* The page faults of this thread so far. 0: the system does not tell. */
long take_faults(void);

struct waits take_waits(void);

/*
 * Whether this thread may have waited for another one of the program since `begin`. The kernel does
 * not always count that as waiting: a thread that wakes another one may lose the CPU to it, and
 * find the answer ready when it goes on. Then the other thread's time belongs to the work.
 */
bool take_may_wait(const struct waits *begin);

/* What an empty function counts and takes in such samples: run->event_overhead, run->loop. */
void take_overheads(const struct setting *s);

#endif
