/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a run leaves in memory: the samples of each work, and what was seen while they were taken.
 * run.c and the files below it fill this in, and judge.c reads it. */

#ifndef CPUCYCLES_SAMPLES_H
#define CPUCYCLES_SAMPLES_H

#include "chain.h"
#include "cycles.h"
#include "events.h"
#include "instrument.h"
#include "unrestored.h"
#include "source.h"
#include "verdict.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RUN_PILOT 100 /* calls */

/* Fewer steps per call than RUN_STEPS_SINGLE, and a sample is a batch of calls that takes
 * RUN_STEPS_BATCH steps. Batches of more than RUN_BATCH_SHORT calls are this number, doubled as
 * often as needed, up to RUN_BATCH_MAX. They take at most 1 part in RUN_BATCH_PART of the budget.
 */
#define RUN_STEPS_SINGLE 5
#define RUN_STEPS_BATCH 50
#define RUN_BATCH_SHORT 20
#define RUN_BATCH_MAX 1310720
#define RUN_BATCH_PART 200

/* In a round, a work that is measured alone has one place. In a comparison, each work has two, so
 * that it is compared with itself, too. */
#define RUN_PLACES_MAX 2

/* Tracks that a run of this number of works needs. If half of the works are one function, each
 * other work needs as many tracks as that function has: see verdict.h. For 15 works and more, a
 * work may not get all of them. */
#define RUN_TRACKS(works) ((works) < 15 ? ((works) + 1) * ((works) + 1) / 4 : 4 * (works))

/* One work of a run, or, after the works, a stand-in, whose samples do not count. */
struct track {
	struct cpucycles_work work;
	int number; /* of the work */
	/* Units per call, overhead taken off: of each round all places. Of tracks after works_max,
	 * it is the scratch. */
	double *samples;
	/* Of each long sample: whether another program ran meanwhile. Stand-ins share one array. */
	bool *interrupted;
	double *blocks[RUN_PLACES_MAX]; /* smooth interquartile means of each block, by place */
	double pilot;                   /* units per call, in the pilot */
	double event_sums[EVENTS_SUMS]; /* of all samples, overhead not taken off */
	size_t event_samples;           /* in these sums */
	struct state state;             /* that each call, or its `before`, begins with */
	bool called;                    /* in this run, at least once */
	struct unrestored unrestored;
};

/* A run should have this many blocks. If the budget is too short for them, blocks are shorter. */
#define RUN_BLOCKS 40

/* What is watched while the samples are taken. */
struct watch {
	uint64_t backwards;   /* how often the counter stepped back */
	double worst;         /* the largest step back, in units */
	uint64_t moves;       /* how often the thread was seen on another CPU */
	int from, to;         /* the CPUs of the first move */
	double counts, ns;    /* the whole run, in counts and by the raw clock */
	double ns_error;      /* of ns */
	double before, after; /* the core's frequency in Hz; 0: unknown */
	bool lost;            /* the counter was lost to a clock */
	int events_lost;      /* an event did not count all the time: events_are_lost() */
};

struct run {
	/* Set at the opening of the meter. */
	size_t works_max, samples_max;
	struct track *tracks;  /* RUN_TRACKS(works_max) */
	double *scratch;       /* 2 * samples_max + INSTRUMENT_PAIRS */
	size_t *order;         /* of one round: a turn is a track times places, plus a place */
	size_t *names, *rows;  /* which turn has which name, and which row comes when */
	struct events *events; /* NULL: none */

	/* Of each work of the next run, what its calls begin with. NULL: what the caller of the run
	 * has. A run leaves this pointer alone. */
	const struct state *states;
	/* Which signal the thread blocks since the last call, or no longer: see unrestored.h. NULL:
	 * not requested. A run leaves this pointer alone, too. */
	int (*see_mask)(void);
	/* Calls in a sample. 0: the pilot finds them. A run leaves this alone, too. */
	unsigned iterations_given;
	/* On a busy machine, a run goes on after its budget until this thread had the CPU for one
	 * part in cpu_part of the budget. 0: not so. A run leaves this alone, too. */
	unsigned cpu_part;
	/* A run should have this many blocks. 0: RUN_BLOCKS. A run leaves this alone, too. */
	size_t blocks_wanted;
	/* The core's frequency before and after a run, in Hz. 0: a run finds it out, which takes
	 * some milliseconds. A run leaves this alone, too. */
	double frequency_given[2];
	/* Another process may set this, so that a run ends after the round that it is in. A run
	 * leaves this alone, too. */
	_Atomic(bool) stop;

	/* Of the last run. */
	size_t works;  /* 0: nothing was run */
	long faults;   /* page faults during its rounds */
	size_t places; /* of each work in a round */
	size_t turns;  /* in a round */
	unsigned iterations;
	bool single;     /* a work has a `before`, so a sample is one call of any work */
	size_t too_fast; /* the work for which the run was refused; works: none */
	double loop;     /* an empty function in such a batch, in units per call; 0: not known */
	size_t block;    /* rounds in a block */
	_Atomic(size_t) rounds; /* whole ones; another process may read how far the run is */
	size_t blocks;
	size_t limit;                       /* rounds at most */
	unsigned look;                      /* looks at the blocks so far */
	size_t looked;                      /* blocks at the last look */
	size_t due;                         /* blocks at the next one */
	double alpha;                       /* of one comparison */
	double event_overhead[EVENTS_SUMS]; /* of one sample of empty calls */
	struct watch watch;
	struct chain_times times;  /* for the core's frequency */
	struct cycles_looks looks; /* for the cycles */
	_Atomic(int) at;           /* the index of the work that runs; -1: none */
	_Atomic(int) prepares;     /* 1: its `before` runs */
	_Atomic(size_t) pairs;     /* begun so far, timed or not */
};

/* Before the first call. at: the work whose turn is next; -1: none. */
static inline void run_reset(struct run *run, int at)
{
	run->watch = (struct watch){ .from = -1, .to = -1 };
	atomic_store(&run->rounds, 0);
	atomic_store(&run->pairs, 0);
	atomic_store(&run->at, at);
	atomic_store(&run->prepares, 0);
}

#endif
