/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "steps.h"
#include "replicates.h"
#include "settle.h"
#include "statistics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A step that costs less than this part is not worth a sentence. */
#define COST 0.05

/* The logarithm of a function's mean in one layout. Not a number: not known. */
static double value_of(const struct cpucycles_result *result, bool in_cycles)
{
	if (!in_cycles)
		return log(result->iqm);
	return measured_has_cycles(result) ? log(result->cycles) : NAN;
}

/* The mean values at each step of a unit, which has `size` layouts. Not a number: there is none, or
 * one of the unit is not known. */
static void take_unit(const struct outcome_function *function, size_t unit, size_t size,
		      bool in_cycles, double means[PLACEMENT_PROCESSES])
{
	size_t counts[PLACEMENT_PROCESSES] = { 0 };
	double sums[PLACEMENT_PROCESSES] = { 0 }, all = 0;

	for (size_t k = 0; k < size; k++) {
		const size_t p = unit * size + k;
		const size_t step = function->places[p] % PLACEMENT_LINE / PLACEMENT_STEP;
		const double value = value_of(&function->results[p], in_cycles);

		counts[step]++;
		sums[step] += value;
		all += value;
	}
	for (size_t step = 0; step < PLACEMENT_PROCESSES; step++)
		means[step] =
			counts[step] && isfinite(all) ? sums[step] / (double)counts[step] : NAN;
}

/* What one step takes by the mean of the others, of the unit with these means. */
static double cost_of(const double means[PLACEMENT_PROCESSES], size_t step)
{
	double others = 0;
	size_t n = 0;

	for (size_t k = 0; k < PLACEMENT_PROCESSES; k++)
		if (k != step && isfinite(means[k])) {
			others += means[k];
			n++;
		}
	return means[step] - others / (double)n;
}

/* One step of all units: the median of the figures there, and whether it is costly. */
static bool judge(double means[][PLACEMENT_PROCESSES], size_t n, size_t step, double alpha,
		  double scratch[], double *median)
{
	double values[OUTCOME_REPLICATES], estimate, low, high;
	size_t known = 0;

	for (size_t unit = 0; unit < n; unit++)
		if (isfinite(means[unit][step]))
			values[known++] = means[unit][step];
	*median = known ? exp(statistics_median(values, known)) : NAN;
	known = 0;
	for (size_t unit = 0; unit < n; unit++)
		if (isfinite(cost_of(means[unit], step)))
			values[known++] = cost_of(means[unit], step);
	return known > 0 &&
	       statistics_signed_rank_interval(values, known, alpha, scratch, &estimate, &low,
					       &high) &&
	       low > log1p(COST);
}

bool steps_find(const struct outcome *outcome, size_t i, struct steps *steps)
{
	const struct outcome_function *const function = &outcome->functions[i];
	const size_t size = outcome_replicate_size(outcome);
	const size_t n = outcome->linked ? outcome->layouts / size : 0;
	/* The steps share alpha, and only one end of each interval counts. */
	const double alpha = 2 * outcome->alpha / PLACEMENT_PROCESSES;
	double means[OUTCOME_REPLICATES][PLACEMENT_PROCESSES];
	double *const scratch = malloc(REPLICATES_SCRATCH(n) * sizeof *scratch);
	bool any = false;

	memset(steps, 0, sizeof *steps);
	steps->in_cycles = measured_has_cycles(&function->measured.result);
	steps->best = INFINITY;
	for (size_t unit = 0; unit < n; unit++)
		take_unit(function, unit, size, steps->in_cycles, means[unit]);
	for (size_t step = 0; scratch && step < PLACEMENT_PROCESSES; step++) {
		double median;

		steps->costly[step] = judge(means, n, step, alpha, scratch, &median);
		steps->best = fmin(steps->best, median);
		if (!steps->costly[step])
			continue;
		steps->worst = fmax(steps->worst, median);
		any = true;
	}
	free(scratch);
	return any;
}
