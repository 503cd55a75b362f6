/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "groups.h"
#include "statistics.h"

#include <math.h>
#include <string.h>

/* The first look is due at this number of blocks, each later one at half as many again. */
#define LOOK_FIRST 32
#define LOOK_GROWTH 1.5

double groups_quantile(size_t place)
{
	if (place == GROUPS_TAIL)
		return GROUPS_TAIL_QUANTILE;
	return place == GROUPS_HEAD ? GROUPS_HEAD_QUANTILE : (double)(place + 1) / 10;
}

double groups_within(double quantile)
{
	const double spread = sqrt(quantile * (1 - quantile));
	const double end = sqrt(GROUPS_TAIL_QUANTILE * (1 - GROUPS_TAIL_QUANTILE));

	return GROUPS_ENDS_WITHIN * fmax(1, spread / end);
}

/* How many of n sorted values are above this one. */
static size_t above(const double sorted[], size_t n, double value)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (sorted[middle] > value)
			high = middle;
		else
			low = middle + 1;
	}
	return n - low;
}

static double share_above(const double sorted[], size_t n, double value)
{
	return (double)above(sorted, n, value) / (double)n;
}

/*
 * A value such that as many of n sorted ones are above it as are above quantile p, as far as equal
 * values allow: the values that are equal to the quantile lie below the place or above it,
 * whichever is nearer. A decile above which there is nothing is moved to where there is something.
 */
static double place_in(const double sorted[], size_t n, double p)
{
	const double want = (1 - p) * (double)n;
	const size_t at = (size_t)(p * (double)n);
	const double value = sorted[at < n ? at : n - 1];
	const size_t more = above(sorted, n, value); /* above it */
	size_t below = n - more;

	/* The values below this one. */
	while (below > 0 && sorted[below - 1] == value)
		below--;
	if (below == 0)
		return value;
	if ((more > 0 || p >= GROUPS_TAIL_QUANTILE) &&
	    want - (double)more <= (double)(n - below) - want)
		return value;
	return sorted[below - 1];
}

/* Both groups' values in one order. */
static void merge(const double first[], size_t n, const double second[], size_t m, double all[])
{
	for (size_t i = 0, a = 0, b = 0; i < n + m; i++)
		all[i] = b == m || (a < n && first[a] <= second[b]) ? first[a++] : second[b++];
}

bool groups_block(double first[], size_t n, double second[], size_t m, double scratch[],
		  struct groups_value *value)
{
	if (n == 0 || m == 0)
		return false;
	*value = (struct groups_value){ .calls = (double)(n + m) };
	statistics_sort(first, n);
	statistics_sort(second, m);
	merge(first, n, second, m, scratch);
	for (size_t i = 0; i < GROUPS_PLACES; i++) {
		const double place = place_in(scratch, n + m, groups_quantile(i));

		value->first[i] = share_above(first, n, place);
		value->shares[i] = share_above(second, m, place) - value->first[i];
	}
	return true;
}

void groups_block_deciles(const double first[], size_t n, const double second[], size_t m,
			  double step, struct groups_value *value)
{
	double parts[GROUPS_DECILES];

	for (size_t i = 0; i < GROUPS_DECILES; i++)
		parts[i] = groups_quantile(i);
	statistics_smooth_quantiles(first, n, step, parts, GROUPS_DECILES, value->first);
	statistics_smooth_quantiles(second, m, step, parts, GROUPS_DECILES, value->differences);
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		value->differences[i] -= value->first[i];
}

/* Cuts */

static void add_cut(struct groups_cuts *cuts, double at, double quantile)
{
	cuts->at[cuts->n] = at;
	cuts->quantile[cuts->n] = quantile;
	cuts->n++;
}

/* The widest gap after one of these times, if it is wide enough. */
static void cut_gap(struct groups_cuts *cuts, const double times[], size_t n, size_t from,
		    size_t to, double apart)
{
	double most = apart;
	size_t found = to;

	for (size_t i = from; i < to; i++) {
		const double gap = times[i + 1] - times[i];

		if (gap <= most)
			continue;
		most = gap;
		found = i;
	}
	add_cut(cuts, found < to ? times[found] : INFINITY, (double)(found + 1) / (double)n);
}

void groups_choose(struct groups_cuts *cuts, double times[], size_t n, double apart)
{
	/* Few calls at an end are not enough for one side of a gap. */
	const size_t few = (size_t)(GROUPS_ENDS_WITHIN / 2 * (double)n);
	const size_t room = n - 2 * few; /* n is far above 2 * few, so it is more than 0 */

	cuts->n = 0;
	if (n < 2)
		return;
	statistics_sort(times, n);
	for (size_t i = 0; i < GROUPS_QUANTILES; i++) {
		double quantile = (double)i / (GROUPS_QUANTILES - 1);

		quantile = fmin(GROUPS_TAIL_QUANTILE, fmax(GROUPS_HEAD_QUANTILE, quantile));
		add_cut(cuts, place_in(times, n, quantile), quantile);
	}
	for (size_t i = 0; i < GROUPS_GAPS; i++)
		cut_gap(cuts, times, n, few + i * (room - 1) / GROUPS_GAPS,
			few + (i + 1) * (room - 1) / GROUPS_GAPS, apart);
}

/* The share of calls that may lie between two cuts, or beyond the last one, in addition to the
 * share when the cuts were chosen; and, for chance, BETWEEN_ROOTS times the root of the calls that
 * are expected there. */
#define BETWEEN_MORE 0.02
#define BETWEEN_ROOTS 4

void groups_count_between(struct groups_cuts *cuts, const double sorted[], size_t n,
			  struct groups_between *between)
{
	size_t left = n; /* above the cut before */

	between->all += n;
	for (size_t i = 0; i < cuts->n; i++) {
		const double at = cuts->at[i];
		/* With the calls at the cut, which sees them. */
		const size_t from_here = above(sorted, n, nextafter(at, -INFINITY));
		const size_t more = above(sorted, n, at);

		between->above[i] += more;
		cuts->quantile[i] = 1 - (double)between->above[i] / (double)between->all;
		if (i >= GROUPS_QUANTILES)
			continue;
		between->calls[i] += left > from_here ? left - from_here : 0;
		left = more;
	}
	between->calls[GROUPS_QUANTILES] += left;
}

bool groups_cuts_hold(const struct groups_cuts *cuts, const struct groups_between *between,
		      double apart)
{
	for (size_t i = 0; i <= GROUPS_QUANTILES; i++) {
		const bool end = i == 0 || i == GROUPS_QUANTILES;
		const double width = end ? INFINITY : cuts->at[i] - cuts->at[i - 1];
		const double share = end ? GROUPS_HEAD_QUANTILE : 1.0 / (GROUPS_QUANTILES - 1);
		const double expected = share * (double)between->all;

		if (width > apart &&
		    (double)between->calls[i] > expected + BETWEEN_MORE * (double)between->all +
							BETWEEN_ROOTS * sqrt(expected))
			return false;
	}
	return true;
}

/* The share of some calls that lie above `far`, less the share of others above `near`. */
static double left_over(const double calls[], size_t n, double far, const double others[], size_t m,
			double near)
{
	return share_above(calls, n, far) - share_above(others, m, near);
}

void groups_block_beyond(const double first[], size_t n, const double second[], size_t m,
			 double apart, const struct groups_cuts *cuts, struct groups_value *value)
{
	for (size_t i = 0; i < cuts->n; i++) {
		const double at = cuts->at[i];

		value->beyond[0][i] = left_over(second, m, at + apart, first, n, at);
		value->beyond[1][i] = left_over(first, n, at + apart, second, m, at);
		value->beyond[2][i] = left_over(second, m, at, first, n, at - apart);
		value->beyond[3][i] = left_over(first, n, at, second, m, at - apart);
	}
	value->counted = cuts->n > 0;
}

void groups_begin(struct groups *groups)
{
	memset(groups, 0, sizeof *groups);
	groups->each = 1;
}

/* The sum of both, divided by this. */
static struct groups_value combine(const struct groups_value *a, const struct groups_value *b,
				   double by)
{
	struct groups_value sum;

	for (size_t i = 0; i < GROUPS_PLACES; i++) {
		sum.shares[i] = (a->shares[i] + b->shares[i]) / by;
		sum.first[i] = (a->first[i] + b->first[i]) / by;
	}
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		sum.differences[i] = (a->differences[i] + b->differences[i]) / by;
	for (size_t way = 0; way < GROUPS_WAYS; way++)
		for (size_t i = 0; i < GROUPS_CUTS; i++)
			sum.beyond[way][i] = (a->beyond[way][i] + b->beyond[way][i]) / by;
	sum.counted = (a->counted + b->counted) / by;
	sum.calls = (a->calls + b->calls) / by;
	return sum;
}

static void halve(struct groups *groups)
{
	for (size_t i = 0; i < groups->n / 2; i++)
		groups->values[i] = combine(&groups->values[2 * i], &groups->values[2 * i + 1], 2);
	groups->n /= 2;
	groups->each *= 2;
}

void groups_add(struct groups *groups, const struct groups_value *block)
{
	static const struct groups_value none;

	groups->blocks++;
	groups->open = combine(&groups->open, block, 1);
	if (++groups->open_blocks < groups->each)
		return;
	groups->values[groups->n++] = combine(&groups->open, &none, (double)groups->each);
	groups->open = none;
	groups->open_blocks = 0;
	if (groups->n == GROUPS_VALUES)
		halve(groups);
}

static void forget_beyond(struct groups_value *value)
{
	memset(value->beyond, 0, sizeof value->beyond);
	value->counted = 0;
}

void groups_forget_beyond(struct groups *groups, size_t from)
{
	for (size_t i = from / groups->each; i < groups->n; i++)
		forget_beyond(&groups->values[i]);
	forget_beyond(&groups->open);
}

size_t groups_due(unsigned look)
{
	double blocks = LOOK_FIRST;

	while (look-- > 1)
		blocks = ceil(blocks * LOOK_GROWTH);
	return blocks < (double)SIZE_MAX / 2 ? (size_t)blocks : SIZE_MAX;
}

/* The sum of the values at a place, by the root of the sum of their squares. */
static double surety(const struct groups *groups, size_t place)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < groups->n; i++) {
		const double share = groups->values[i].shares[place];

		sum += share;
		squares += share * share;
	}
	return squares > 0 ? fabs(sum) / sqrt(squares) : 0;
}

static double surest(const struct groups *groups, size_t *place)
{
	double most = 0;

	*place = 0;
	for (size_t i = 0; i < GROUPS_PLACES; i++) {
		const double t = surety(groups, i);

		if (t <= most)
			continue;
		most = t;
		*place = i;
	}
	return most;
}

/* All places, and two directions. */
#define TRIALS (2.0 * GROUPS_PLACES)

double groups_chance(const struct groups *groups, size_t *place)
{
	const double t = surest(groups, place);

	return fmin(1, TRIALS * exp(-t * t / 2));
}

double groups_reach(const struct groups *groups, double alpha)
{
	size_t place;

	return surest(groups, &place) / sqrt(2 * log(TRIALS / alpha));
}

/* The first group's mean at a place. */
static double mean_of_first(const struct groups *groups, size_t place)
{
	double sum = 0;

	for (size_t k = 0; k < groups->n; k++)
		sum += groups->values[k].first[place];
	return groups->n ? sum / (double)groups->n : 0;
}

/* Means of as many values each, GROUPS_MEANS at most. What remains at the end is left out.
 * counted: only blocks for which the values were counted have weight; else i is a place. */
static bool judge(const struct groups *groups, double (*of)(const struct groups_value *, size_t),
		  size_t i, bool counted, double alpha, double scratch[],
		  struct groups_interval *interval)
{
	const size_t chunk = (groups->n + GROUPS_MEANS - 1) / GROUPS_MEANS;
	const size_t chunks = chunk ? groups->n / chunk : 0;
	size_t means = 0;

	*interval = (struct groups_interval){ .low = -INFINITY, .high = INFINITY };
	interval->group0 = counted ? 0 : mean_of_first(groups, i);
	for (size_t k = 0; k < chunks; k++) {
		double sum = 0, weights = 0;

		for (size_t j = 0; j < chunk; j++) {
			const struct groups_value *value = &groups->values[k * chunk + j];

			sum += of(value, i);
			weights += counted ? value->counted : 1;
		}
		if (weights > 0)
			scratch[means++] = sum / weights;
	}
	if (means == 0)
		return false;
	return statistics_signed_rank_interval(scratch, means, alpha, scratch + GROUPS_MEANS,
					       &interval->difference, &interval->low,
					       &interval->high);
}

static double difference(const struct groups_value *value, size_t i)
{
	return value->differences[i];
}

static double share(const struct groups_value *value, size_t i)
{
	return value->shares[i];
}

bool groups_difference(const struct groups *groups, size_t decile, double alpha, double scratch[],
		       struct groups_interval *interval)
{
	return judge(groups, difference, decile, false, alpha, scratch, interval);
}

/* i: the cut. After all cuts of a way, the cuts of the next way follow. */
static double beyond(const struct groups_value *value, size_t i)
{
	return value->beyond[i / GROUPS_CUTS][i % GROUPS_CUTS];
}

/* Whether blocks are long enough to have calls beyond the quantiles of 1 and 99 %. */
static bool are_long(const struct groups *groups)
{
	double calls = 0;

	for (size_t k = 0; k < groups->n; k++)
		calls += groups->values[k].calls;
	return calls >= (double)groups->n * GROUPS_TAIL_CALLS;
}

bool groups_end(const struct groups *groups, size_t place, double alpha, double scratch[],
		struct groups_interval *interval)
{
	const bool known =
		judge(groups, share, place, false, alpha, scratch, interval) && are_long(groups);

	if (!known) {
		interval->low = -INFINITY;
		interval->high = INFINITY;
	}
	if (place == GROUPS_HEAD)
		*interval = (struct groups_interval){ 1 - interval->group0, -interval->difference,
						      -interval->high, -interval->low };
	return known;
}

bool groups_beyond(const struct groups *groups, size_t way, size_t cut, double alpha,
		   double scratch[], struct groups_interval *interval)
{
	return judge(groups, beyond, way * GROUPS_CUTS + cut, true, alpha, scratch, interval);
}
