/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "verdict.h"

#include "statistics.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* Of the intervals of the places, whose outer ends make the floor. */
#define CONTROL_ALPHA 0.05

/* A warning of a carryover on noise alone is rarer than this. */
#define CARRYOVER_ERROR 1e-6

/* Of the blocks' log ratios, this part is left out on each side of a mean, or FEW_TRIMMED_PART of
 * fewer than FEW_BLOCKS. Other programs interrupt some blocks, and a tenth of few blocks is none.
 */
#define TRIMMED_PART 0.1
#define FEW_TRIMMED_PART 0.25
#define FEW_BLOCKS 20

/* A later look has a smaller share of alpha, so its interval is this much wider. */
#define LATER_WIDER 1.25

const char *verdict_word(enum verdict_kind kind)
{
	static const char *const words[] = {
		[VERDICT_CANNOT_TELL] = "cannot tell",
		[VERDICT_FASTER] = "faster",
		[VERDICT_SLOWER] = "slower",
		[VERDICT_SAME] = "same",
	};

	return words[kind];
}

double verdict_share(double alpha, unsigned look)
{
	return look ? alpha / ((double)look * ((double)look + 1)) : 0;
}

unsigned verdict_look(unsigned looks, size_t looked, size_t n)
{
	return looks && n == looked ? looks : looks + 1;
}

double verdict_share_left(double alpha, unsigned look)
{
	return alpha / ((double)look + 1);
}

/* No double is above 0 and below 2 to the power of -1074. */
static size_t fewest(double alpha)
{
	for (size_t n = 1; n <= 1075; n++)
		if (statistics_median_rank(n, alpha) > 0)
			return n;
	return SIZE_MAX;
}

size_t verdict_fewest(double alpha)
{
	const size_t n = fewest(alpha);

	return n < VERDICT_BLOCKS_MAX ? n : VERDICT_BLOCKS_MAX;
}

size_t verdict_more(double half, double margin, size_t n)
{
	const double needed = ceil((double)n * (half / margin) * (half / margin));

	if (!(needed < VERDICT_BLOCKS_MAX))
		return VERDICT_BLOCKS_MAX;
	return needed > (double)n ? (size_t)needed : n + 1;
}

size_t verdict_due(double alpha, unsigned look)
{
	size_t n = fewest(verdict_share(alpha, 1));

	for (unsigned i = 1; i < look && n < SIZE_MAX; i++)
		n = n < SIZE_MAX / 2 ? n + n / 2 : SIZE_MAX;
	return n;
}

/* The median of some log ratios, and the interval that holds the true one. */
struct middle {
	double median, low, high;
};

/* As far as nothing is known. */
static const struct middle unknown = { NAN, -INFINITY, INFINITY };

static bool is_value(double value)
{
	return value > 0 && isfinite(value);
}

/* The sum of two logarithms. It is stored, because an x87 register has more digits than a double:
 * of two equal sums, the one in a register would be the larger one. */
static double log_sum(double a, double b)
{
	const volatile double log_a = log(a), log_b = log(b), sum = log_a + log_b;

	return sum;
}

/* The logarithms are subtracted, because that gives exactly the opposite if two works, or two
 * places, change places, which a quotient may not. */
static double ratio_of_works(const double *const first[], const double *const work[], size_t i)
{
	return (log_sum(work[0][i], work[1][i]) - log_sum(first[0][i], first[1][i])) / 2;
}

static double ratio_of_places(const double *const places[], size_t i)
{
	const volatile double log_a = log(places[0][i]), log_b = log(places[1][i]);

	return log_b - log_a;
}

static bool has_values(const double *const places[], size_t i)
{
	return is_value(places[0][i]) && is_value(places[1][i]);
}

/* The middle of n blocks' log ratios. Of them, valid ones are known. A block without a value counts
 * as one below and one above all others: it makes the interval wider. */
static struct middle middle_of(double ratios[], size_t valid, size_t n, double alpha)
{
	const size_t rank = statistics_median_rank(n, alpha), bad = n - valid;
	struct middle middle = unknown;

	if (valid == 0)
		return unknown;
	statistics_sort(ratios, valid);
	middle.median = statistics_quantile(ratios, valid, 0.5);
	if (rank <= bad)
		return middle;
	middle.low = ratios[rank - bad - 1];
	middle.high = ratios[valid - (rank - bad)];
	return middle;
}

/* All that are known, and how many these are. */
static size_t ratios_of_works(const double *const first[], const double *const work[], size_t n,
			      double ratios[])
{
	size_t valid = 0;

	for (size_t i = 0; i < n; i++)
		if (has_values(first, i) && has_values(work, i))
			ratios[valid++] = ratio_of_works(first, work, i);
	return valid;
}

static struct middle compare(const double *const first[], const double *const work[], size_t n,
			     double alpha, double ratios[])
{
	return middle_of(ratios, ratios_of_works(first, work, n, ratios), n, alpha);
}

static struct middle control(const double *const places[], size_t n, double alpha, double ratios[])
{
	size_t valid = 0;

	for (size_t i = 0; i < n; i++)
		if (has_values(places, i))
			ratios[valid++] = ratio_of_places(places, i);
	return middle_of(ratios, valid, n, alpha);
}

/* How far the second place is from the first at most. The sum makes 0 of a negative 0. */
static double outer(const struct middle *control)
{
	return fmax(-control->low, control->high) + 0;
}

/* Whether a difference is shown, not only a distance that noise has, too. */
static bool is_shown(const struct middle *middle)
{
	return middle->low > 0 || middle->high < 0;
}

static double bias(const struct middle *control)
{
	return is_shown(control) ? fabs(control->median) : 0;
}

/* A work's mean of two places is at most half of their difference away from each of them. So this
 * is how far two means may be apart that come from the places alone. */
static double distance_of_means(double of_first, double of_work)
{
	return (of_first + of_work) / 2;
}

/* At which number the intervals have shrunk enough. Places that are not shown to differ are taken
 * for the same. */
static size_t needed(const struct middle *ratio, bool shown, const struct middle controls[2],
		     size_t n, double alpha)
{
	const double floor = distance_of_means(bias(&controls[0]), bias(&controls[1]));
	const double widths =
		(ratio->high - ratio->low) + distance_of_means(controls[0].high - controls[0].low,
							       controls[1].high - controls[1].low);
	const double margin = fabs(ratio->median) - floor;

	if (n < verdict_fewest(alpha))
		return verdict_fewest(alpha);
	if (!isfinite(widths) || !shown || !(margin > 0) ||
	    (floor > 0 &&
	     fabs(ratio->median) <= distance_of_means(outer(&controls[0]), outer(&controls[1]))))
		return 0;
	return verdict_more(LATER_WIDER * widths / 2, margin, n);
}

void verdict_judge(const double *const first[VERDICT_PLACES],
		   const double *const work[VERDICT_PLACES], size_t n, double alpha,
		   double scratch[], struct verdict *verdict)
{
	const struct middle ratio = compare(first, work, n, alpha, scratch);
	const double control_alpha = fmax(alpha, CONTROL_ALPHA);
	const struct middle controls[] = { control(first, n, control_alpha, scratch),
					   control(work, n, control_alpha, scratch) };
	const double floor = distance_of_means(outer(&controls[0]), outer(&controls[1]));
	struct middle loose;

	*verdict = (struct verdict){
		.ratio = exp(ratio.median),
		.low = exp(ratio.low),
		.high = exp(ratio.high),
		.floor = expm1(floor),
	};
	if (ratio.high < -floor)
		verdict->kind = VERDICT_FASTER;
	else if (ratio.low > floor)
		verdict->kind = VERDICT_SLOWER;
	if (verdict->kind != VERDICT_CANNOT_TELL)
		return;
	loose = compare(first, work, n, VERDICT_SEEN_ERROR, scratch);
	verdict->needed = needed(&ratio, is_shown(&loose), controls, n, alpha);
}

/* Of fewer than three values, all count. */
static double trimmed_part(size_t n)
{
	if (n >= FEW_BLOCKS)
		return TRIMMED_PART;
	return n < 3 ? 0 : fmax(FEW_TRIMMED_PART, 1.0 / (double)n);
}

double verdict_log_ratio(const double *const first[VERDICT_PLACES],
			 const double *const work[VERDICT_PLACES], size_t n, double scratch[])
{
	const size_t valid = ratios_of_works(first, work, n, scratch);

	if (valid == 0)
		return NAN;
	statistics_sort(scratch, valid);
	return statistics_trimmed_mean(scratch, valid, trimmed_part(valid));
}

bool verdict_carryover(const double *const places[VERDICT_PLACES], size_t n, double scratch[],
		       double *ratio)
{
	const struct middle found = control(places, n, CARRYOVER_ERROR, scratch);

	*ratio = exp(found.median);
	return is_shown(&found) && fabs(found.median) > VERDICT_CARRYOVER_PART;
}
