/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "settle.h"
#include "cycles.h"
#include "gate.h"
#include "placement.h"
#include "statistics.h"
#include "replicates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Fewer processes than this do not tell a precision: a few means may lie close by chance. */
#define PRECISION_PROCESSES 10

/* The core is slow if a cycle takes SLOW_TIMES times as long as in most layouts. From minute to
 * minute, frequencies of one core differed by a factor of 2.7. In the phases that are meant here,
 * it was up to 14. */
#define SLOW_TIMES 4

/* After the last look, the intervals are made anew whenever there are more replicates by this part.
 */
#define INTERVAL_STEPS 8

/* An interval is of use if its width is this part of the difference, or this part of the time. */
#define USEFUL_OF_DIFFERENCE 0.1
#define USEFUL_OF_TIME 0.01

/* The median of one member of the layouts' results. */
#define MEDIAN_OF(function, n, member, room) median_of(&(function)->results[0].member, n, room)

static double median_of(const double *first, size_t n, double room[])
{
	for (size_t p = 0; p < n; p++)
		room[p] = *(const double *)((const char *)first +
					    p * sizeof(struct cpucycles_result));
	return statistics_median(room, n);
}

size_t outcome_replicate_size(const struct outcome *outcome)
{
	if (!outcome->linked)
		return 1;
	return PLACEMENT_PROCESSES * outcome_each(outcome);
}

/* Whole replicates so far. */
static size_t replicates_of(const struct outcome *outcome)
{
	return outcome->layouts / outcome_replicate_size(outcome);
}

static size_t layouts_of(const struct outcome *outcome, size_t replicates)
{
	const size_t size = outcome_replicate_size(outcome);

	return replicates < SIZE_MAX / size ? replicates * size : SIZE_MAX;
}

size_t outcome_most(const struct outcome *outcome)
{
	if (outcome_has_runs(outcome))
		return OUTCOME_RUNS;
	return layouts_of(outcome, OUTCOME_REPLICATES);
}

size_t outcome_due(const struct outcome *outcome)
{
	const size_t looked = outcome->looked;

	if (outcome->decided)
		return layouts_of(outcome, looked + looked / INTERVAL_STEPS + 1);
	return layouts_of(outcome, verdict_due(outcome->alpha, outcome->looks + 1));
}

size_t outcome_layouts(const struct outcome *outcome, size_t i)
{
	return outcome->linked ? layouts_of(outcome, outcome->functions[i].measured.replicates) : 0;
}

size_t outcome_needed(const struct outcome *outcome, size_t i)
{
	return layouts_of(outcome, outcome->functions[i].measured.verdict.needed);
}

/* Where most layouts have their cycles from: of those that have them, or of those that have not.
 */
static int most_have_cycles_from(const struct outcome_function *function, size_t n, bool known)
{
	size_t counts[CPUCYCLES_CYCLES_TOO_FEW + 1] = { 0 };
	int most = CPUCYCLES_CYCLES_NONE;

	for (size_t p = 0; p < n; p++) {
		const struct cpucycles_result *const r = &function->results[p];

		if (measured_has_cycles(r) == known && ++counts[r->cycles_from] > counts[most])
			most = r->cycles_from;
	}
	return most;
}

/* A figure over all layouts, and its interval; infinite: not known. */
struct figure {
	double value, low, high;
};

/* From the figures of n layouts; NaN: one has none. By the estimator of the verdict if there is a
 * scratch for it and the figures allow it. Otherwise it is their median. */
static struct figure figure_of(double values[], size_t n, size_t size, double scratch[])
{
	struct figure figure = { NAN, -INFINITY, INFINITY };
	double logs[OUTCOME_LAYOUTS];
	size_t known = 0;

	memcpy(logs, values, n * sizeof *logs);
	if (scratch &&
	    replicates_centre(logs, n, size, scratch, &figure.value, &figure.low, &figure.high))
		return figure;
	for (size_t p = 0; p < n; p++)
		if (isfinite(values[p]))
			values[known++] = values[p];
	if (known == 0)
		return figure;
	figure.value = statistics_median(values, known);
	judge_median(values, known, &figure.low, &figure.high);
	return figure;
}

/* Where fewer than half of the layouts have cycles, that is a choice of layouts by their
 * disturbances, and no figure of the function. */
static void settle_cycles(struct cpucycles_result *r, const struct outcome_function *function,
			  size_t n, size_t size, double room[], double scratch[])
{
	struct figure figure = { NAN, NAN, NAN };
	double bound = 0;
	size_t known = 0;

	for (size_t p = 0; p < n; p++) {
		const bool has = measured_has_cycles(&function->results[p]);

		room[p] = has ? function->results[p].cycles : NAN;
		known += has;
	}
	r->cycles_from = most_have_cycles_from(function, n, 2 * known >= n);
	if (known > 0 && 2 * known >= n)
		figure = figure_of(room, n, size, scratch);
	if (r->cycles_from == CPUCYCLES_CYCLES_CHAIN)
		bound = cycles_bound(figure.value, r->iterations);
	r->cycles = figure.value;
	r->cycles_low = figure.low - bound;
	r->cycles_high = figure.high + bound;
}

/* How fast the core ran relative to the counter, in the layouts that have cycles. Returns how
 * many these are. */
static size_t take_speeds(const struct outcome_function *function, size_t n, double room[])
{
	size_t known = 0;

	for (size_t p = 0; p < n; p++)
		if (measured_has_cycles(&function->results[p]))
			room[known++] = function->results[p].units_per_cycle;
	return known;
}

static void settle_speed(struct measured *m, const struct outcome_function *function, size_t n,
			 double room[])
{
	const size_t known = take_speeds(function, n, room);

	m->result.units_per_cycle = known ? statistics_median(room, known) : 0;
	m->units_per_cycle[0] = known ? room[0] : 0;
	m->units_per_cycle[1] = known ? room[known - 1] : 0;
	m->speed_off =
		known ? fmax(statistics_quantile(room, known, 0.95) / m->result.units_per_cycle - 1,
			     1 - statistics_quantile(room, known, 0.05) /
					     m->result.units_per_cycle) :
			0;
}

static void settle_result(struct outcome_function *function, size_t n, size_t size, double room[],
			  double scratch[])
{
	struct measured *const m = &function->measured;
	struct cpucycles_result *const r = &m->result;
	struct figure mean;

	r->min = INFINITY;
	r->iterations = 0;
	r->cycles_interrupted = 0;
	for (size_t p = 0; p < n; p++) {
		r->min = fmin(r->min, function->results[p].min);
		r->iterations = function->results[p].iterations > r->iterations ?
					function->results[p].iterations :
					r->iterations;
		r->warnings |= function->results[p].warnings;
		r->cycles_interrupted += function->results[p].cycles_interrupted;
	}
	r->q1 = MEDIAN_OF(function, n, q1, room);
	r->q3 = MEDIAN_OF(function, n, q3, room);
	r->median = MEDIAN_OF(function, n, median, room);
	judge_median(room, n, &r->low, &r->high);
	for (size_t p = 0; p < n; p++)
		room[p] = function->results[p].iqm;
	mean = figure_of(room, n, size, scratch);
	r->iqm = mean.value;
	m->mean_low = mean.low;
	m->mean_high = mean.high;
	settle_cycles(r, function, n, size, room, scratch);
	settle_speed(m, function, n, room);
}

/* Where each process is one sample, the quartiles are those of all processes, and there is a second
 * time. */
static void settle_runs(struct outcome_function *function, size_t n, double room[],
			double scratch[])
{
	struct measured *const m = &function->measured;

	for (size_t p = 0; p < n; p++)
		room[p] = function->results[p].iqm;
	statistics_sort(room, n);
	m->result.q1 = statistics_quantile(room, n, 0.25);
	m->result.q3 = statistics_quantile(room, n, 0.75);
	memcpy(room, function->means, n * sizeof *room);
	m->other_ns = figure_of(room, n, 1, scratch).value;
}

/* How far the function's mean in one layout is from that in all. */
static double by_layout(const struct outcome_function *function, size_t n, double room[])
{
	for (size_t p = 0; p < n; p++)
		room[p] = log(function->results[p].iqm);
	return replicates_placement(room, n, room);
}

/* The replicates by the means of nearly all samples. */
static void judge_means(struct outcome_function *function, const struct outcome *outcome, size_t n,
			double share, double room[], double scratch[])
{
	double log_ratios[OUTCOME_LAYOUTS];
	size_t replicates;

	for (size_t p = 0; p < n; p++)
		log_ratios[p] = isfinite(function->log_ratios[p]) ?
					log(function->means[p] / outcome->functions[0].means[p]) :
					NAN;
	replicates = replicates_values(log_ratios, n, outcome_replicate_size(outcome), room);
	replicates_judge(room, replicates, share, 0, scratch, &function->measured.mean_verdict);
}

/* Judge by the first `replicates` of them, at this look. A replicate with a layout in which no
 * block had values counts for neither side. A verdict that was reached stays, and its interval has
 * what is left of the error. */
static void judge_replicates(struct outcome_function *function, const struct outcome *outcome,
			     size_t replicates, unsigned look, double room[], double scratch[])
{
	const size_t size = outcome_replicate_size(outcome), n = replicates * size;
	const double share = verdict_share(outcome->alpha, look);
	const double left = verdict_share_left(outcome->alpha, function->reached_at);
	struct measured *const m = &function->measured;

	m->placement = outcome->linked ? replicates_placement(function->log_ratios, n, room) : NAN;
	m->replicates = replicates_values(function->log_ratios, n, size, room);
	replicates_judge(room, m->replicates, function->reached_at ? left : share, outcome->within,
			 scratch, &m->verdict);
	if (function->reached_at)
		m->verdict.kind = function->reached;
	judge_means(function, outcome, n, share, room, scratch);
	m->compared = true;
}

/* Shortly after a look, there may be too few replicates for the share of the next one. Then the
 * replicates of the last look are judged, as they were there. */
static void settle_verdict(struct outcome_function *function, const struct outcome *outcome,
			   double room[], double scratch[])
{
	const size_t replicates = replicates_of(outcome);
	const struct verdict *const v = &function->measured.verdict;
	const unsigned look = verdict_look(outcome->looks, outcome->looked, replicates);

	judge_replicates(function, outcome, replicates, look, room, scratch);
	if (!isfinite(v->high) && outcome->looks)
		judge_replicates(function, outcome, outcome->looked, outcome->looks, room, scratch);
	if (function->reached_at || v->kind == VERDICT_CANNOT_TELL)
		return;
	function->reached = v->kind;
	function->reached_at = look;
	judge_replicates(function, outcome, replicates, look, room, scratch);
}

static void settle_results(struct outcome *outcome, double scratch[])
{
	double room[OUTCOME_LAYOUTS];

	for (size_t i = 0; i < outcome->count; i++) {
		struct outcome_function *const function = &outcome->functions[i];

		settle_result(function, outcome->layouts, outcome_replicate_size(outcome), room,
			      scratch);
		if (outcome_has_runs(outcome))
			settle_runs(function, outcome->layouts, room, scratch);
		function->measured.by_layout =
			outcome->linked ? by_layout(function, outcome->layouts, room) : NAN;
	}
}

void outcome_settle_results(struct outcome *outcome)
{
	double *const scratch =
		malloc(REPLICATES_SCRATCH(replicates_of(outcome)) * sizeof *scratch);

	settle_results(outcome, scratch);
	free(scratch);
}

bool outcome_leaves_out(struct outcome *outcome, const struct outcome_part *part)
{
	double room[OUTCOME_LAYOUTS];
	size_t known;

	if (outcome->slow >= outcome_processes(outcome))
		return false;
	known = take_speeds(&outcome->functions[0], outcome->layouts, room);
	if (known == 0 || part->slow_units_per_cycle <= SLOW_TIMES * statistics_median(room, known))
		return false;
	outcome->slow++;
	outcome->slow_units_per_cycle =
		fmax(outcome->slow_units_per_cycle, part->slow_units_per_cycle);
	return true;
}

double outcome_precision(const struct outcome *outcome, size_t *widest)
{
	double most = -1;

	*widest = 0;
	for (size_t i = 0; i < outcome->count; i++) {
		const struct measured *const m = &outcome->functions[i].measured;
		const double mean = m->result.iqm;
		const double half =
			mean > 0 ? judge_farther(mean, m->mean_low, m->mean_high) / mean : INFINITY;

		if (half <= most)
			continue;
		most = half;
		*widest = i;
	}
	return most < 0 ? INFINITY : most;
}

double outcome_so_far(const struct outcome *outcome)
{
	double room[OUTCOME_LAYOUTS];
	const double *ratios;
	size_t n = 0;

	if (outcome->count < 2 || outcome->alone)
		return NAN;
	ratios = outcome->functions[outcome->count - 1].log_ratios;
	for (size_t p = 0; p < outcome->layouts; p++)
		if (isfinite(ratios[p]))
			room[n++] = ratios[p];
	return n ? exp(statistics_median(room, n)) : NAN;
}

bool outcome_is_precise(const struct outcome *outcome)
{
	size_t widest;

	return outcome_processes(outcome) >= PRECISION_PROCESSES &&
	       outcome_precision(outcome, &widest) <= outcome->precision;
}

bool outcome_misses_first(const struct outcome *outcome)
{
	return !outcome->alone && outcome->targets_count > 1 && outcome->count > 0 &&
	       outcome->functions[0].target != &outcome->targets[0];
}

static bool compares(const struct outcome *outcome)
{
	return !outcome->alone && outcome->count > 1 && !outcome_misses_first(outcome);
}

bool outcome_knows_enough(struct outcome *outcome)
{
	if (outcome->leak.known)
		return true;
	if (outcome->precision > 0) {
		/* Before the first look, there is no verdict. */
		if (compares(outcome) && outcome->layouts < outcome_due(outcome))
			return false;
		/* Each further look at hundreds of processes takes tens of milliseconds. */
		if (outcome_processes(outcome) % (1 + outcome_processes(outcome) / 50))
			return false;
		outcome_settle_results(outcome);
		return outcome_is_precise(outcome);
	}
	return outcome->count > 1 && outcome->layouts >= outcome_due(outcome) &&
	       outcome_settle(outcome);
}

/* An estimate of the mean that would keep the gate from passing is to be sure, too. */
static bool is_decided(const struct outcome *outcome, size_t i)
{
	const struct measured *const m = &outcome->functions[i].measured;

	return m->verdict.kind != VERDICT_CANNOT_TELL &&
	       (m->mean_verdict.kind != VERDICT_CANNOT_TELL || !gate_sees_longer(outcome, i));
}

/* Whether the interval of a verdict that was reached is narrow enough. Of equal functions, it is,
 * because it lies inside of the part that was asked for. */
static bool is_useful(const struct verdict *v)
{
	const double width = log(v->high / v->low);

	return v->kind == VERDICT_SAME || width <= USEFUL_OF_DIFFERENCE * fabs(log(v->ratio)) ||
	       width <= log1p(USEFUL_OF_TIME);
}

bool outcome_settle(struct outcome *outcome)
{
	const size_t replicates = replicates_of(outcome);
	double room[OUTCOME_LAYOUTS];
	double *const scratch = malloc(REPLICATES_SCRATCH(replicates) * sizeof *scratch);
	bool decided = compares(outcome), useful = true;

	if (!scratch || outcome->layouts == 0) {
		free(scratch);
		return false;
	}
	settle_results(outcome, scratch);
	for (size_t i = 1; compares(outcome) && i < outcome->count; i++) {
		settle_verdict(&outcome->functions[i], outcome, room, scratch);
		decided &= is_decided(outcome, i);
		useful &= is_useful(&outcome->functions[i].measured.verdict);
	}
	free(scratch);
	if (replicates > outcome->looked) {
		outcome->looks += !outcome->decided;
		outcome->looked = replicates;
	}
	outcome->decided |= decided;
	return decided && useful;
}
