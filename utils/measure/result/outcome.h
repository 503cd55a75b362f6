/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * The numbers of a run: what its processes have measured, and the results and verdicts that follow
 * from these numbers. This room knows no meter, no child and no file, and makes no sentences.
 */

#ifndef CPUCYCLES_MEASURE_OUTCOME_H
#define CPUCYCLES_MEASURE_OUTCOME_H

#include "leak-judge.h"
#include "measured.h"
#include "placement.h"
#include "status.h"
#include "files/target.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Requested events have their numbers in the list. After them, the cycles are
 * counted, and in a function the ticks of the time-stamp counter. */
enum { OUTCOME_CYCLES = EVENTS_MAX, OUTCOME_TICKS, OUTCOME_COUNTS };

/* An event that was asked for, or the cycles. */
struct outcome_event {
	int error; /* why it was not counted: a negative errno */
	struct cpucycles_event_info info;
	struct reason_text reason;
	enum events_kind kind;
	char name[EVENT_TEXT];
};

/* The most samples that can be asked for (-n): a larger number is a mistake. */
#define OUTCOME_COUNT_MOST (UINT64_C(1) << 32)

/* Room for the name of a counter. */
#define OUTCOME_COUNTER 64

/* A process measures functions that are linked anew in this many layouts at most. */
#define OUTCOME_PER_PROCESS 8

/* The most replicates: units of functions that are linked anew, and processes of others. It is
 * among the numbers at which verdicts are looked for. */
#define OUTCOME_REPLICATES 366

#define OUTCOME_LAYOUTS (OUTCOME_REPLICATES * PLACEMENT_PROCESSES * OUTCOME_PER_PROCESS)

/* The most pairs of runs, which is among these numbers, too. */
#define OUTCOME_RUNS 823

/* What is measured, and in the place of a function then: a command, or a benchmark of one file. */
enum outcome_subject { OUTCOME_FUNCTIONS, OUTCOME_COMMANDS, OUTCOME_BENCHMARKS };

/* One function that was measured. */
struct outcome_function {
	const struct target *target;
	struct measured measured; /* in all processes */
	/* The verdict that a look has reached, and the number of that look; 0: none has. */
	enum verdict_kind reached;
	unsigned reached_at;
	/* Counts per call, the means over all processes; not a number: there is none. */
	double events[OUTCOME_COUNTS];
	struct judge_time time; /* of a command in cycles: the CPU time of its runs */

	/* Of each layout. */
	struct cpucycles_result results[OUTCOME_LAYOUTS];
	double log_ratios[OUTCOME_LAYOUTS]; /* to the first function */
	/* Of nearly all samples; of a command or benchmark, the time that is not judged, in ns. */
	double means[OUTCOME_LAYOUTS];
	size_t places[OUTCOME_LAYOUTS]; /* in bytes; if the functions are linked anew */
};

/* What a test for leaks has found, which has no functions. */
struct outcome_leak {
	bool known;
	bool prepared;   /* the function's file makes the inputs of both groups */
	bool moved;      /* the calls have become faster or slower meanwhile */
	int cycles_from; /* CPUCYCLES_CYCLES_... */
	uint64_t took_ns;
	struct cpucycles_leak_findings result;
	struct leak_quantiles quantiles;
	size_t kept[2]; /* calls of each group, of which the times are known */
};

struct outcome {
	const struct target *targets; /* of the whole command line */
	size_t targets_count;
	enum outcome_subject subject;
	bool wall;   /* of a command or benchmark, the wall time is judged, and not the CPU time */
	bool cycles; /* of a command, its core cycles are judged, and not the CPU time */
	size_t size; /* of the functions' argument; see outcome_has_size() */
	bool check, interrupted;
	bool unchanged; /* the functions are the same code, and were not measured */
	bool checked;   /* the check has come to its end */
	/* The functions are linked anew. Then PLACEMENT_PROCESSES successive processes are a
	 * replicate, from the first one that is added. Set before outcome_begin(). */
	bool linked;
	size_t per_process; /* layouts in one process; 0: one */
	double load;        /* of a busy machine, before the run; 0: it had little else to do */
	long cpus;          /* of the machine */
	bool governed;      /* its system sets the frequency of the core */
	/* A function that is shown to be slower by this part of 1, or more, raises an alarm; 0:
	 * none does. */
	double gate;
	/* A function of two files: there are outcomes of others besides. named: the user has asked
	 * for it. */
	bool pair, named;
	size_t number, all; /* of the pair, from 1, and how many pairs there are */
	bool alone;         /* each function is measured by itself: nothing is compared */
	double within; /* functions that differ by less than this part of 1 are the same; 0: none */
	struct cpucycles_plan plan;
	double precision; /* that is asked for, as a part of 1; 0: none is */

	bool opened; /* the counter is known */
	struct cpucycles_counter_info info;
	struct reason_text next_best;

	struct outcome_event events[OUTCOME_CYCLES + 1];
	/* Each event before a process made it void. */
	struct outcome_event opened_events[OUTCOME_CYCLES + 1];
	size_t events_count;

	struct outcome_function *functions;
	size_t count;
	/* That were measured. A process of functions that are not linked anew has one layout, and
	 * so has a run of a command. */
	size_t layouts;
	/* Processes that have measured, and do not count: see outcome_leaves_out(). In them, the
	 * core took up to so many units for a cycle. */
	size_t slow;
	double slow_units_per_cycle;
	double alpha;         /* of one comparison */
	unsigned looks;       /* at the comparisons, so far */
	size_t looked;        /* replicates at the last look */
	bool decided;         /* there are no more looks: what is left are intervals */
	uint64_t begun_ns;    /* when the first size was begun; 0: this is it */
	uint64_t prepared_ns; /* that it took to compile and link, before the first process */
	uint64_t elapsed_ns;
	size_t attempts;    /* layouts in which processes were to measure, those that failed, too */
	uint64_t sliced_ns; /* that the processes were given to measure */
	struct judge_warnings warnings; /* of the check */
	struct judge_time time;         /* of all processes */
	struct judge_warnings notes;    /* of the check, too: of the machine, and no warnings */
	char counter[OUTCOME_COUNTER];  /* its name */

	struct outcome_leak leak;
	double *leak_times[2]; /* of leak.kept calls of each group */
};

/* Whether each process is one run of a command, or of a benchmark, and so one sample. */
static inline bool outcome_has_runs(const struct outcome *outcome)
{
	return outcome->subject != OUTCOME_FUNCTIONS;
}

/* Whether the functions have an argument that is a size. It may be 0. */
static inline bool outcome_has_size(const struct outcome *outcome)
{
	return outcome->targets_count > 0 && outcome->targets[0].sized;
}

/* "cycles", "ticks" or "ns". */
const char *outcome_unit(const struct outcome *outcome);

/* Layouts of each process. */
static inline size_t outcome_each(const struct outcome *outcome)
{
	return outcome->per_process ? outcome->per_process : 1;
}

/* Processes that have measured, and count. */
static inline size_t outcome_processes(const struct outcome *outcome)
{
	return outcome->layouts / outcome_each(outcome);
}

/* What was measured of one function in one layout. */
struct outcome_piece {
	struct cpucycles_result result;
	struct judge_warnings warnings;
	bool renewed;                  /* its input is made anew before each call */
	size_t bytes;                  /* that one call handles; 0: not known */
	double events[OUTCOME_COUNTS]; /* per call; not a number: there is none */
	struct judge_time time;        /* of a command in cycles: its CPU time */
	double log_ratio;              /* to the first function */
	double mean;                   /* of nearly all samples; else as in means[] above */
	double memory;                 /* bytes at the peak of a run; not a number: not known */
};

/* What was measured there of all functions together. */
struct outcome_part {
	struct judge_time time;         /* of the run */
	double slow_units_per_cycle;    /* of judge_slow_units_per_cycle() */
	struct judge_warnings warnings; /* of the check */
	int events_error;               /* 0, or why all events of the run are void */
	struct reason_text events_reason;
};

/* Add what was measured in the next layout: first of each function, then of all. */
void outcome_add_piece(struct outcome *outcome, size_t i, const struct outcome_piece *piece);
void outcome_add(struct outcome *outcome, const struct outcome_part *part);

/* Begin with these functions, and forget what was added. 0 or -ENOMEM. */
int outcome_begin(struct outcome *outcome, struct target *const targets[], size_t n);

void outcome_free(struct outcome *outcome);

/* Whether an event that was asked for was not counted. */
bool outcome_lacks_events(const struct outcome *outcome);

/* Of several outcomes the first event number i that was counted, or that was not. NULL: there is
 * none. */
const struct outcome_event *outcome_event(const struct outcome outcomes[], size_t n, size_t i,
					  bool counted);

/* Not a number: the events that this takes were not counted, or not in the same modes. */
double outcome_instructions_per_cycle(const struct outcome *outcome,
				      const struct outcome_function *function);

/* Of event number i, by those of misses only. */
double outcome_per_thousand_instructions(const struct outcome *outcome,
					 const struct outcome_function *function, size_t i);

/* The first outcome that knows the counter, else the first one. */
const struct outcome *outcome_opened(const struct outcome outcomes[], size_t n);

/* Nanoseconds of a unit of this function; NULL: of all. Not a number: unknown. *error: of it, as a
 * part of 1. */
double outcome_ns_per_unit(const struct outcome *outcome, const struct outcome_function *function,
			   double *error);

/* Nanoseconds of a figure in units. */
double outcome_ns(const struct outcome *outcome, const struct outcome_function *function,
		  double units);

/* Whether a function has parameters that it would not get. */
bool outcome_has_parameters(const struct outcome *outcome);

/* Whether a function of a pair has parameters, or both failed when they were called, as functions
 * do that have parameters of which nothing is known; and the pair was not asked for. */
bool outcome_is_left_out(const struct outcome *outcome);

/* What was measured of this target. NULL: nothing. */
const struct outcome_function *outcome_function_of(const struct outcome *outcome,
						   const struct target *target);

#endif
