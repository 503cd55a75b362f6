/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What a run's samples say: results, warnings and verdicts. No clock, no counter. */

#ifndef CPUCYCLES_JUDGE_H
#define CPUCYCLES_JUDGE_H

#include "samples.h"
#include "statistics.h"

#include <math.h>

/* "cycles", "ticks" or "ns". */
const char *judge_unit(int unit);

/* What the samples of one work show: the result, and each warning with the figures that its
 * sentence needs. */
struct judge_findings {
	const struct run *run;
	const struct source *source;
	const struct instrument *instrument;
	size_t work;
	struct cpucycles_result result;
	double rate;              /* in counts per second */
	double steps;             /* in the median sample */
	double halves[2];         /* units per call */
	double carryover;         /* the second place by the first */
	double smallest, largest; /* windows' medians, in units per call */
	double counted;         /* units that a counter of cycles counts in a cycle of the chain */
	double tail;            /* the mean of the longer samples, in units per call */
	double mean;            /* of all samples but the longest 5 %, in units per call */
	struct verdict verdict; /* relative to work 0; of that one, there is none */
	double ns_per_unit;     /* by judge_ns_per_unit() of this run */
	double ns_error;        /* of that, as a part of 1 */
};

/* The warnings on one function, each once, of one run or of several. */
#define JUDGE_WARNINGS 12
struct judge_warnings {
	size_t n;
	struct judge_warned {
		const char *name;          /* as cpucycles-measure(7) has it */
		uint64_t bit;              /* CPUCYCLES_WARNING_... */
		size_t runs;               /* that have it */
		struct reason_text reason; /* of the first of them */
	} list[JUDGE_WARNINGS + 1];        /* cpucycles-measure --check adds one of its own */
};

/* Whether a sample shows that the overhead was measured too high. steps: its length. Within one
 * step of 0, the step explains it. */
static inline bool judge_is_below_nothing(double steps)
{
	return steps <= -1;
}

/* The interval of the median of n numbers in order, with 95 % confidence. Infinite: there is none.
 */
static inline void judge_median(const double sorted[], size_t n, double *low, double *high)
{
	if (statistics_median_interval(sorted, n, 0.05, low, high))
		return;
	*low = -INFINITY;
	*high = INFINITY;
}

/* How far the farther end of an interval is from the figure. Infinite: the interval is not known.
 */
static inline double judge_farther(double figure, double low, double high)
{
	return fmax(high - figure, figure - low);
}

/* Half of an interval that is no narrower than `least`. 0: the interval is not known. */
static inline double judge_half(double figure, double low, double high, double least)
{
	const double half = judge_farther(figure, low, high);

	return isfinite(half) ? fmax(half, least / 2) : 0;
}

/* The same in nanoseconds, of a figure of so many. error: of ns_per_unit, as a part of 1. */
static inline double judge_half_ns(double half, double ns, double ns_per_unit, double error)
{
	return half > 0 ? half * ns_per_unit + fabs(ns) * error : 0;
}

/* Whether this work was measured. -EINVAL: there is no such work. -ENODATA: there was no run, or a
 * work was too fast. */
int judge_has_run(const struct run *run, size_t i);

/* The same, and -EAGAIN: the counter was lost, so that all samples are void. */
int judge_has_samples(const struct run *run, size_t i);

/* Judge work i. This sorts samples in run->scratch, so it is done once, when the run has ended. 0
 * or an error of judge_has_samples(). */
int judge_find(const struct run *run, const struct source *source,
	       const struct instrument *instrument, size_t i, struct judge_findings *findings);

/* The sentence of one warning. 0; -ENOENT: there is no such warning. */
int judge_warning(const struct judge_findings *findings, uint64_t warning,
		  struct reason_text *reason);

/* The verdict on a work, from 1, as the caller gets it. */
void judge_verdict(const struct judge_findings *findings, struct cpucycles_verdict *verdict);

/* The verdict on a work that was measured, from 1, by the blocks so far. */
void judge_compare(const struct run *run, size_t i, struct verdict *verdict);

/* About how many samples of each work the verdict asks for. */
uint64_t judge_needed(const struct run *run, const struct verdict *verdict);

/* Add the warnings among the findings to the list. The run is as it was when they were found. */
void judge_warn(const struct judge_findings *findings, struct judge_warnings *list);

/* The name of a warning; NULL: there is no such warning. */
const char *judge_warning_name(uint64_t warning);

/* The place in the list of the warning with this bit. list->n: it is not there. */
size_t judge_place_of(const struct judge_warnings *list, uint64_t bit);

enum judge_blame { JUDGE_MACHINE, JUDGE_COUNTER, JUDGE_FUNCTION };

/* The place in the list of the most important warning that blames this and changes how the figures
 * of so many runs are to be read. list->n: there is none. */
size_t judge_counts(const struct judge_warnings *list, size_t runs, enum judge_blame blames);

/* Add the warnings of other runs. */
void judge_add_warnings(struct judge_warnings *list, const struct judge_warnings *more);

/* How long units took by a clock, in one run or in several. */
struct judge_time {
	double units, ns;
	double ns_error; /* of ns */
};

/* Add what this run has seen. */
void judge_add_time(const struct run *run, const struct source *source,
		    const struct instrument *instrument, struct judge_time *time);

/* Nanoseconds of a unit: by that time if it is known well enough, else by the rate hz, where 0 is
 * unknown. Not a number: unknown. *error: of it, as a part of 1. */
double judge_ns_per_unit(const struct judge_time *time, int unit, uint64_t hz, double *error);

/* The log ratio of work i to work `baseline`, as one number for a process: verdict_log_ratio(). Not
 * a number: there is none. */
double judge_log_ratio(const struct run *run, size_t i, size_t baseline);

/* Whether most samples lie on one step of the counter. Then their interval may have no width, and
 * says less than the step. */
static inline bool judge_is_on_one_step(const struct cpucycles_result *result)
{
	return !(result->q1 < result->q3);
}

/* Fill in the cycles of the core, when the rest of the result is known. Returns the warning on
 * them, or 0. */
uint64_t judge_cycles(struct judge_findings *findings);

/* Units per cycle of the core when it was slow: a tenth of the looks at the chain have more. 0:
 * there was no look. */
double judge_slow_units_per_cycle(const struct run *run);

/* 0 or an error of judge_has_samples(). */
int judge_samples(const struct run *run, size_t i, const double **samples, size_t *n);

/* Each returns 0 or a negative errno, as the public functions do that use them. -ENODATA: there are
 * no whole rounds. -EAGAIN: what is asked for is void. */
int judge_event_info(const struct run *run, size_t event, struct cpucycles_event_info *info,
		     struct reason_text *reason);
int judge_event(const struct run *run, size_t i, size_t event, double *per_call);

/* 0; -EAGAIN with *reason: all events of the run are void. */
int judge_events_lost(const struct run *run, struct reason_text *reason);

/* Whether each comparison has a verdict at the share of error of the run's last look. */
bool judge_is_decided(const struct run *run);

/* The sentence on the work that is too fast: both figures and advice. */
void judge_too_fast(const struct run *run, const struct source *source,
		    const struct instrument *instrument, struct reason_text *reason);

#endif
