/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The process that measures: a child that loads shared objects, or the program that was linked. It
 * also judges what it has measured. It may crash or hang at any point, in a constructor of a
 * library, a FUNCTION_setup or a function. So whatever it finds out stands in memory that it shares
 * with its parent.
 */

#ifndef CPUCYCLES_MEASURE_CHILD_H
#define CPUCYCLES_MEASURE_CHILD_H

#include "buffer.h"
#include "files/target.h"
#include "meter.h"
#include "state.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A program with more functions is not linked. */
#define CHILD_SIDES 64

/* A process measures in so many layouts that each has CHILD_ROUNDS_LEAST rounds. It measures in one
 * only if the first one took the CPU for CHILD_SLICES_MOST times as long as all of them are to
 * measure: setting up takes time for each layout, too. So it does if there was a page fault in each
 * CHILD_FAULTLESS rounds or more often, besides CHILD_FAULTS of the meter's own arrays: then the
 * functions still meet memory for the first time. */
#define CHILD_ROUNDS_LEAST 10
#define CHILD_SLICES_MOST 2
#define CHILD_FAULTLESS 8
#define CHILD_FAULTS 16

/* What the child is to do. */
struct child_job {
	/* The program that the functions are linked into. NULL: they are loaded. */
	const char *program;
	struct target **targets; /* n of them; without any, the machine is checked */
	size_t n;
	bool copies;       /* the program has a copy of each function for each of some processes */
	size_t first_side; /* added to a target's side, it is that of this process's first copy */
	size_t sides;      /* the same for each further layout of this process */
	size_t layouts;    /* in which this process measures, one after the other */
	bool may_be_slow;  /* measure in fewer layouts if a call takes long */
	bool reversed;     /* the targets are named from the last to the first */
	struct cpucycles_meter_options options;
	struct cpucycles_plan plan; /* of each layout */
	size_t process;             /* its number, from 0 */
	struct meter_known known;   /* of the first process */
	unsigned iterations;        /* calls in a sample, as in the first process; 0: this is it */
	unsigned leak_flags; /* of struct cpucycles_leak, for a target that is tested for leaks */
	double threshold;    /* the same */
	uint64_t budget_ns;  /* of all processes */
	struct buffer_input input;
	const char *pair;   /* what the pair is called; NULL: it is none */
	size_t number, all; /* of the pair, from 1, and how many pairs there are */
	double so_far; /* the last function's time by the first one's; not a number: none yet */
};

/* What the child is at. */
enum child_phase {
	CHILD_STARTS,
	CHILD_LOADS,    /* target number `which` */
	CHILD_OPENS,    /* the meter */
	CHILD_SETS_UP,  /* target number `which` */
	CHILD_MEASURES, /* meter->run.at tells which target */
	CHILD_JUDGES,   /* target number `which`; no function is called meanwhile */
	CHILD_IS_DONE
};

/* How far a child is, and why it went no further. A function may write anywhere, also here. So the
 * parent believes nothing in it: it looks at numbers before it uses them, and follows no pointer.
 */
struct child_shared {
	_Atomic(int) phase;
	_Atomic(size_t) which;
	/* When the phase is CHILD_IS_DONE, what came of the phase before: 0 or a negative errno.
	 * After CHILD_LOADS, that is -EINVAL if the command line does not fit what the target's
	 * file has, -EDOM if the file does not say how long an input is, or says nonsense, and
	 * -ENOENT otherwise. */
	enum child_phase last;
	int error;
	struct reason_text reason;
	/* Memory that the child takes up so that the rest lies elsewhere. Only as a number,
	 * `deeper` is compared: it is an address in the stack, and functions are called below it.
	 */
	void *kept;
	volatile char *deeper;
	/* The address that a SIGSEGV or a SIGBUS is about. NULL: there was none, or the program's
	 * own handler has taken it. */
	void *volatile fault;
};

struct record;

/* Where that is. This structure itself is not shared. */
struct child_memory {
	struct child_shared *shared;
	struct record *record; /* after it, shared, too: of the first layout, see record.h */
	/* After that. The parent reads how far the run is, and may stop it. */
	struct cpucycles_meter *meter;
	size_t meter_bytes;
	/* All of it, see memory.h. */
	void *map;
	size_t bytes;
	int fd; /* below 0: no program gets it */
};

/* A function that is measured, wherever it comes from. */
struct loaded {
	void *library; /* NULL: it is in this program */
	void (*function)(void);
	void (*setup)(void);  /* NULL: there is none, or it is called for an earlier target */
	void (*before)(void); /* NULL: there is none */
	size_t bytes;
	/* Of a function that is tested for leaks. */
	void (*input)(void);     /* NULL: there is none */
	const void *input_bytes; /* where its length is; NULL: the file does not say it */
};

/* The seed of layout number i, counted from the one that has this seed: far apart, and never 0. */
static inline uint64_t child_seed(uint64_t seed, size_t i)
{
	const uint64_t drawn = seed + i * UINT64_C(0x9e3779b97f4a7c15);

	return drawn + (drawn == 0);
}

static inline bool child_tests_leak(const struct child_job *job)
{
	return job->n > 0 && job->targets[0]->leak;
}

/* How many layouts are measured, of those that the job asks for, if the first one had `rounds`
 * rounds, `faults` page faults and `took_ns` of CPU time. Pure. */
static inline size_t child_layouts(const struct child_job *job, size_t rounds, long faults,
				   double took_ns)
{
	const double slice_ns = (double)job->layouts * (double)job->plan.budget_ns;
	const size_t fit = rounds * job->layouts / CHILD_ROUNDS_LEAST;

	if (fit < 1 || took_ns > CHILD_SLICES_MOST * slice_ns ||
	    (double)(faults - CHILD_FAULTS) * CHILD_FAULTLESS > (double)rounds)
		return 1;
	return fit < job->layouts ? fit : job->layouts;
}

/* Finds all targets of the job, and what state of the processor each one's file has left. Ends the
 * process if one is missing. */
typedef void child_load(const struct child_job *job, struct child_shared *shared,
			struct loaded loaded[], struct state states[]);

/* Do the job and end the process. */
_Noreturn void child_work(const struct child_job *job, const struct child_memory *memory,
			  child_load *load);

/* The index in the job of function number i of the results. */
static inline size_t child_work_of(const struct child_job *job, size_t i)
{
	return job->reversed ? job->n - 1 - i : i;
}

/* The first target with the function of target i. */
size_t child_first_of(const struct loaded loaded[], size_t i);

/* The bytes that a file states in this place. Whatever lies there is only a number. NULL: the file
 * does not state them; then 0. */
size_t child_stated(const void *place);

/* The steps of that. The child is now at this. */
void child_begin(struct child_shared *shared, enum child_phase phase, size_t which);

/* It has finished its job, or cannot go on. */
_Noreturn void child_end(struct child_shared *shared, int error);

/* What a file's constructors or a setup have left. Whatever comes next does not find that: it finds
 * what was there before. */
struct state child_take_state(const struct state *before);

/* The first signal that one of the masks blocks: a positive number if `after` does, a negative one
 * if `before` does; 0: they are the same. Pure. */
int child_mask_difference(const sigset_t *before, const sigset_t *after);

/* The difference since the last call, of the thread that calls the functions: the library does not
 * ask for its signal mask. The first call compares with an empty mask. */
int child_mask_see(void);

#endif
