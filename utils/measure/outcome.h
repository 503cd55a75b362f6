/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* All that is printed, as figures and sentences. */

#ifndef CPUCYCLES_MEASURE_OUTCOME_H
#define CPUCYCLES_MEASURE_OUTCOME_H

#include "figures.h"
#include "judge.h"
#include "child.h"
#include "target.h"
#include "units.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses, documented in cpucycles-measure(1). If several fit, it is 3, or else
 * the smallest. */
enum outcome_status {
	OUTCOME_OK = 0,
	OUTCOME_WARNING = 1, /* --check only */
	OUTCOME_USAGE = 2,
	OUTCOME_OUTPUT = 3,       /* it is not complete */
	OUTCOME_NOT_FOUND = 4,    /* a library or a function */
	OUTCOME_NO_COUNTER = 5,   /* that fulfils the need */
	OUTCOME_CRASHED = 6,      /* a function */
	OUTCOME_HUNG = 7,         /* a function */
	OUTCOME_TOO_FAST = 8,     /* a function */
	OUTCOME_FAILED = 9,       /* for another reason */
	OUTCOME_NOT_COUNTED = 10, /* an event */
	OUTCOME_ALARM = 11,       /* --gate: a function is slower; --leak: it leaks */
	OUTCOME_UNDECIDED = 12,   /* --gate and --leak: nobody can tell */
	OUTCOME_NO_INPUT = 13,    /* --leak: it is not known how long an input is */
	OUTCOME_INTERRUPTED = 130 /* what there was is printed */
};

/* The numbers of the events that were asked for are those of the list. Behind them, the cycles are
 * counted, and in a function the ticks of the time-stamp counter. */
enum { OUTCOME_CYCLES = EVENTS_MAX, OUTCOME_TICKS, OUTCOME_COUNTS };

/* An event that was asked for, or the cycles. */
struct outcome_event {
	int error; /* why it was not counted: a negative errno */
	struct cpucycles_event_info info;
	struct cpucycles_reason reason;
	enum events_kind kind;
};

/* More processes than this do not measure. */
#define OUTCOME_PROCESSES 366

/* One function that was measured. */
struct outcome_function {
	const struct target *target;
	/* The medians of what the processes found; but min is the smallest, samples is the sum, and
	 * low and high are the interval of the processes' medians. */
	struct cpucycles_result result;
	/* The interval of result.iqm, from the processes' means. A mean spreads its samples over a
	 * step of the counter, so it tells more than a median that is a multiple of the step. */
	double mean_low, mean_high;
	struct judge_warnings warnings; /* of all processes */
	bool renewed;                   /* its input is made anew before each call */
	bool compared;                  /* with the first one */
	struct units_verdict verdict;
	/* The same from the means of nearly all samples (struct judge_findings), where the verdict
	 * above is on typical calls. */
	struct units_verdict mean_verdict;
	size_t units; /* that the verdict is made from */
	/* If the functions are linked anew: units_placement() of the log ratios, and of the
	 * logarithms of result.iqm. Otherwise not a number. */
	double placement, by_layout;
	/* Counts per call, the means over all processes; not a number: there is none. */
	double events[OUTCOME_COUNTS];

	/* Of each process. */
	struct cpucycles_result results[OUTCOME_PROCESSES];
	double log_ratios[OUTCOME_PROCESSES]; /* to the first function */
	double means[OUTCOME_PROCESSES];      /* of nearly all samples */
};

struct outcome {
	const struct target *targets; /* of the whole command line */
	size_t targets_count;
	size_t size; /* of the functions' argument; 0: they have none */
	bool check, interrupted;
	bool checked; /* the check has come to its end */
	/* The functions are linked anew for each process. Then PLACEMENT_PROCESSES successive ones
	 * are a unit, from the first one that is added. Set before outcome_begin(). */
	bool linked;
	/* A function that is shown to be slower by this part of 1, or more, raises an alarm; 0:
	 * none does. */
	double gate;
	/* A function of two files: there are outcomes of others besides. named: somebody has asked
	 * for it. */
	bool pair, named;
	size_t number, all; /* of the pair, from 1, and how many pairs there are */
	double within; /* functions that differ by less than this part of 1 are the same; 0: none */
	struct cpucycles_plan plan;
	double precision; /* that is asked for, as a part of 1; 0: none is */

	bool opened; /* the counter is known */
	struct cpucycles_counter_info info;
	struct cpucycles_reason next_best;

	struct outcome_event events[OUTCOME_CYCLES + 1];
	size_t events_count;

	struct outcome_function *functions;
	size_t count;
	size_t processes;  /* that have measured */
	double error;      /* of one comparison */
	unsigned looks;    /* at the comparisons, so far */
	size_t looked;     /* units at the last look */
	uint64_t begun_ns; /* when the first size was begun; 0: this is it */
	uint64_t elapsed_ns;
	uint64_t sliced_ns;             /* that the processes were given to measure */
	struct judge_warnings warnings; /* of the check */
	struct judge_time time;         /* of all processes */
	struct judge_warnings notes;    /* of the check, too: of the machine, and no warnings */
	/* What the first process left, for the names of counter and events. NULL: none did. */
	struct cpucycles_meter *first;
	char counter[CHILD_NAME];
};

/* "cycles", "ticks" or "ns". */
const char *outcome_unit(const struct outcome *outcome);

/* What a child has found out about the counter, if no other one has. */
void outcome_counter(struct outcome *outcome, const struct child_job *job,
		     const struct child_memory *memory);

/* The index in the job of the outcome's function number i. */
size_t outcome_work(const struct outcome *outcome, const struct child_job *job, size_t i);

/* What one process has measured of one function. */
struct outcome_piece {
	struct cpucycles_result result;
	struct judge_warnings warnings;
	bool renewed;                  /* its input is made anew before each call */
	size_t bytes;                  /* that one call handles; 0: not known */
	double events[OUTCOME_COUNTS]; /* per call; not a number: there is none */
	double log_ratio;              /* to the first function */
	double mean;                   /* of nearly all samples */
};

/* The same of all functions, without the samples. It has no pointers to memory of the process that
 * makes it, so it may be made by a child, in memory that is shared with this one. */
struct outcome_part {
	int error;                      /* 0, or why there is no more */
	int raw;                        /* the same of the file of samples */
	double chance;                  /* of an error of one comparison */
	struct judge_time time;         /* of the run */
	struct judge_warnings warnings; /* of the check */
	int events_error;               /* 0, or why all events of the run are void */
	struct cpucycles_reason events_reason;
	struct outcome_piece pieces[]; /* of each function of the outcome */
};

size_t outcome_part_bytes(const struct outcome *outcome);

/* A copy of a child's meter with its first samples, so many rounds at most, to which nobody else
 * writes. 0; -ENODATA: there is no meter; -EBADMSG: what the child has left makes no sense;
 * -ENOMEM. */
int outcome_adopt(const struct child_job *job, const struct child_memory *memory, size_t rounds,
		  struct cpucycles_meter **meter);

/* Make a part of that. *part is all zeros. 0; -ENODATA: there are no samples, or not of all
 * functions. */
int outcome_judge(const struct outcome *outcome, const struct child_job *job,
		  const struct cpucycles_meter *meter, struct outcome_part *part);

void outcome_add(struct outcome *outcome, const struct outcome_part *part);

/* Begin with these functions, and forget what was added. 0 or -ENOMEM. */
int outcome_begin(struct outcome *outcome, struct target *const targets[], size_t n);

/* Make results and verdicts of what was added so far. True: no more has to be known. */
bool outcome_settle(struct outcome *outcome);

/* Make the results alone. That is no look at the comparisons, and costs no share of their error. */
void outcome_settle_results(struct outcome *outcome);

/* How precise the results are: half of the widest interval, as a part of its mean. Infinite: one
 * has no interval. *widest: its function. Pure. */
double outcome_precision(const struct outcome *outcome, size_t *widest);

/* Whether the results are as precise as was asked for, in processes enough. Pure. */
bool outcome_is_precise(const struct outcome *outcome);

/* The last function's time by that of the first one, in the processes so far: their median. Not a
 * number: nothing is compared. */
double outcome_so_far(const struct outcome *outcome);

/* How many processes there are at the next look at the comparisons. SIZE_MAX: there is none. */
size_t outcome_due(const struct outcome *outcome);

/* Processes in a unit of the comparisons. */
size_t outcome_unit_size(const struct outcome *outcome);

/* The most processes of whole units. */
size_t outcome_most(const struct outcome *outcome);

/* In how many layouts, which are processes of whole units, the comparison with function number i
 * was measured. 0: the functions are not linked anew. */
size_t outcome_layouts(const struct outcome *outcome, size_t i);

/* About how many processes would tell the difference that the verdict on function number i names.
 * 0: as in units_verdict. */
size_t outcome_needed(const struct outcome *outcome, size_t i);

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

/* A sentence on a run that Ctrl-C has ended. NULL: it was not ended so. */
const char *outcome_ending(const struct outcome outcomes[], size_t n);

/* Nanoseconds of a unit. Not a number: nobody knows. *error: of it, as a part of 1. */
double outcome_ns_per_unit(const struct outcome *outcome, double *error);

/* Nanoseconds of a figure in units. */
double outcome_ns(const struct outcome *outcome, double units);

/* What was measured of this target. NULL: nothing. */
const struct outcome_function *outcome_function_of(const struct outcome *outcome,
						   const struct target *target);

/* What of the machine's work an event counts. */
const char *outcome_modes(const struct cpucycles_event_info *info);

/* Whether the first function has no figures, and another one has. Then nothing is compared with
 * that one in its place. */
bool outcome_misses_first(const struct outcome *outcome);

/* The verdict on function number i, with the text that it needs. */
#define OUTCOME_ADVICE 320
void outcome_verdict(const struct outcome *outcome, size_t i, struct figures_verdict *verdict,
		     char base[OUTCOME_ADVICE], char advice[OUTCOME_ADVICE]);

/* The same in words and figures. */
#define OUTCOME_TEXT FIGURES_SENTENCE
void outcome_sentence(const struct outcome *outcome, size_t i, char text[OUTCOME_TEXT]);

/* Whether both functions of a pair failed when they were called, as those do that have parameters,
 * and nobody has asked for the pair. */
bool outcome_is_left_out(const struct outcome *outcome);

/* Whether there is no alarm on function number i, but the mean of nearly all samples estimates that
 * it takes longer than the first one by the gate or more. A verdict on typical calls may not show
 * that. Pure. */
bool outcome_is_longer(const struct outcome *outcome, size_t i);

/* What the gate says of all comparisons: OUTCOME_OK, OUTCOME_ALARM if there is one alarm, or else
 * OUTCOME_UNDECIDED. Without a gate, OUTCOME_OK. Pure. */
enum outcome_status outcome_gate(const struct outcome *outcome);

/* The same of several outcomes. Pairs that are left out do not count; if all are, nobody can
 * tell. */
enum outcome_status outcome_gates(const struct outcome outcomes[], size_t n);

/* "passed", "alarm" or "cannot tell", of several outcomes. NULL: there is no gate. Pure. */
const char *outcome_gate_word(const struct outcome outcomes[], size_t n);

/* The same of one outcome as a sentence. False: there is no gate, or the outcome is one of a
 * pair. */
bool outcome_gate_sentence(const struct outcome *outcome, char text[OUTCOME_TEXT]);

/* What came of all pairs, as sentences. False: these are no pairs. */
bool outcome_pairs_sentence(const struct outcome outcomes[], size_t n, char text[OUTCOME_TEXT]);

/* What came of the precision that was asked for. False: none was, or there are no figures. */
bool outcome_precision_sentence(const struct outcome *outcome, char text[OUTCOME_TEXT]);

#endif
