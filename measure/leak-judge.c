/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "leak-judge.h"
#include "statistics.h"
#include "verdict.h"

#include <math.h>
#include <string.h>

/* By default, a difference of THRESHOLD_UNITS units does not matter. */
#define THRESHOLD_UNITS 2

/* The part of alpha that belongs to the control of the harness. */
#define CONTROL_PART 0.2

/* A test needs MARGIN times as many calls as one interval does, because more looks share alpha,
 * and because the widest of many intervals counts. */
#define MARGIN 2.5

/* More calls than any test makes. */
#define CALLS_MOST UINT64_C(1000000000000000)

/* After CALLS_SHARES calls of both groups for which the cuts held, the shares at the cuts say how
 * many calls are needed. Before, the deciles say it if they need CALLS_DECILES calls of each group:
 * then the shares hardly need more. */
#define CALLS_SHARES 6000
#define CALLS_DECILES 30000

void leak_judge_begin(struct leak_judge *judge, double threshold, double resolution, double alpha,
		      struct cpucycles_leak_findings *result)
{
	const struct groups_interval unknown = { .low = -INFINITY, .high = INFINITY };

	memset(judge, 0, sizeof *judge);
	judge->threshold_given = threshold > 0;
	judge->threshold = judge->threshold_given ? threshold : fmax(THRESHOLD_UNITS, resolution);
	judge->resolution = resolution;
	judge->apart = fmax(resolution, judge->threshold);
	judge->alpha = alpha;
	judge->stride = 1;
	groups_begin(&judge->groups);
	groups_begin(&judge->control);
	*result = (struct cpucycles_leak_findings){
		.size = sizeof *result,
		.threshold = judge->threshold,
		.surest = 50,
		.p_value = 1,
		.control_p_value = 1,
		.beyond_most = INFINITY,
		.beyond_quantile = 50,
		.beyond_high = INFINITY,
		.beyond_within = groups_within(0.5),
	};
	judge->quantiles.head = judge->quantiles.tail = unknown;
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		judge->quantiles.deciles[i] = unknown;
}

/* If there are too many, every second one is dropped. */
static void keep_time(struct leak_judge *judge, double time)
{
	if (judge->kept_n == LEAK_JUDGE_KEPT) {
		statistics_sort(judge->kept, judge->kept_n);
		judge->kept_n /= 2;
		judge->stride *= 2;
		for (size_t i = 0; i < judge->kept_n; i++)
			judge->kept[i] = judge->kept[2 * i];
	}
	judge->kept[judge->kept_n++] = time;
}

static void keep_some(struct leak_judge *judge, const double times[], size_t n)
{
	size_t i = judge->skip;

	for (; i < n; i += judge->stride)
		keep_time(judge, times[i]);
	judge->skip = i - n;
}

/* Whether the cuts hold is seen after a part of as many calls as there were before: a function that
 * has many ways, one after the other, has gone through some of them then. */
#define CHECK_PART 4

static void watch_cuts(struct leak_judge *judge)
{
	const size_t before = judge->kept_n * judge->stride / CHECK_PART;

	judge->between = (struct groups_between){ 0 };
	judge->held_blocks = judge->groups.blocks;
	judge->check_at = before > LEAK_JUDGE_KEPT ? before : LEAK_JUDGE_KEPT;
}

static void choose_cuts(struct leak_judge *judge)
{
	groups_choose(&judge->cuts, judge->kept, judge->kept_n, judge->apart);
	watch_cuts(judge);
}

/* Cuts that hold stay. Cuts that do not hold have seen little of the calls since the last check:
 * these calls are left out of the shares, and the cuts are chosen anew. */
static void check_cuts(struct leak_judge *judge)
{
	const double calls = (double)judge->between.all;

	if (!groups_cuts_hold(&judge->cuts, &judge->between, judge->apart)) {
		groups_forget_beyond(&judge->groups, judge->held_blocks);
		judge->moved++;
		choose_cuts(judge);
		return;
	}
	for (size_t i = 0; i < judge->cuts.n; i++)
		judge->within[i] += groups_within(judge->cuts.quantile[i]) * calls;
	judge->held_calls += calls;
	watch_cuts(judge);
}

void leak_judge_groups(struct leak_judge *judge, double first[], size_t n, double second[],
		       size_t m, double scratch[])
{
	struct groups_value value;

	if (!groups_block(first, n, second, m, scratch, &value))
		return;
	groups_block_deciles(first, n, second, m, judge->resolution, &value);
	keep_some(judge, scratch, n + m);
	if (judge->cuts.n > 0) {
		groups_block_beyond(first, n, second, m, judge->apart, &judge->cuts, &value);
		groups_count_between(&judge->cuts, scratch, n + m, &judge->between);
	} else if (judge->kept_n >= LEAK_JUDGE_EARLY) {
		choose_cuts(judge);
	}
	groups_add(&judge->groups, &value);
	if (judge->cuts.n > 0 && judge->between.all >= judge->check_at)
		check_cuts(judge);
}

void leak_judge_control(struct leak_judge *judge, double first[], size_t n, double second[],
			size_t m, double scratch[])
{
	struct groups_value value;

	if (groups_block(first, n, second, m, scratch, &value))
		groups_add(&judge->control, &value);
}

/* Whether nothing that matters is left: each interval lies within, and no cut may have too much. */
static bool all_inside(const struct leak_judge *judge, const struct cpucycles_leak_findings *result)
{
	for (size_t i = 0; i < GROUPS_DECILES; i++) {
		const struct groups_interval *const d = &judge->quantiles.deciles[i];

		if (d->low <= -result->threshold || d->high >= result->threshold ||
		    leak_judge_is_coarse(judge->threshold, judge->resolution, d))
			return false;
	}
	return result->beyond_high < result->beyond_within;
}

/* Whether more calls would say nothing more of a difference that is shown. */
static bool is_clear(const struct leak_judge *judge, const struct cpucycles_leak_findings *result)
{
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		if (judge->quantiles.deciles[i].low > result->threshold ||
		    judge->quantiles.deciles[i].high < -result->threshold)
			return true;
	return judge->is_beyond;
}

/* How many times as many calls might show that an estimate lies below the limit, if its interval
 * reaches so far above it now. A quarter of an interval may be noise of the estimate. While the
 * interval is wide, half of it may: if there is a difference, fewer calls show it. */
static double times_below(double estimate, double reach, double limit)
{
	const double noise = fmin(reach > limit ? reach : reach / 2, fmax(0, estimate));
	const double room = limit - (estimate - noise);

	return room > 0 ? fmax(1, MARGIN * reach / room * (reach / room)) : INFINITY;
}

/* By which factor the number of calls has to grow, until it might show that there is no difference
 * that matters, neither at the deciles nor where `times` says it. 0: no number of calls is enough,
 * because the counter is too coarse. */
static double times_for_none(const struct leak_judge *judge,
			     const struct cpucycles_leak_findings *result, double times)
{
	for (size_t i = 0; i < GROUPS_DECILES; i++) {
		const struct groups_interval *const d = &judge->quantiles.deciles[i];

		if (leak_judge_is_coarse(judge->threshold, judge->resolution, d))
			return 0;
		times = fmax(times, times_below(fabs(d->difference), (d->high - d->low) / 2,
						result->threshold));
	}
	return times;
}

/* What the cuts say. Without cuts, nothing. */
static void look_at_cuts(struct leak_judge *judge, double alpha,
			 struct cpucycles_leak_findings *result)
{
	double worst = -INFINITY;

	judge->is_beyond = false;
	judge->times_beyond = 1;
	if (judge->cuts.n == 0)
		return;
	check_cuts(judge);
	result->beyond_most = 0;
	for (size_t i = 0; i < GROUPS_WAYS * judge->cuts.n; i++) {
		const size_t cut = i / GROUPS_WAYS;
		/* What does not matter at this cut: the mean of where it lay. */
		const double within = judge->held_calls > 0 ?
					      judge->within[cut] / judge->held_calls :
					      groups_within(judge->cuts.quantile[cut]);
		struct groups_interval in;
		double times;

		groups_beyond(&judge->groups, i % GROUPS_WAYS, cut, alpha, judge->scratch, &in);
		times = times_below(in.difference, in.high - in.difference, within);
		judge->times_beyond = fmax(judge->times_beyond, isfinite(in.high) ? times : 1);
		judge->is_beyond = judge->is_beyond || in.low > within;
		result->beyond_most = fmax(result->beyond_most, in.high);
		if (in.high / within <= worst)
			continue;
		worst = in.high / within;
		/* In percent, from 1 to 99. */
		result->beyond_quantile =
			(int)lrint(fmin(99, fmax(1, 100 * judge->cuts.quantile[cut])));
		result->beyond_high = fmax(0, in.high);
		result->beyond_within = within;
	}
}

/* A place is suspect if equal groups would differ so seldom: then more calls may show a leak. */
#define SUSPECT 0.1

/* The calls of each group that might show that there is no difference that matters, about. 0: no
 * number does, or too little is known to give one. */
static double needed_for_none(const struct leak_judge *judge,
			      const struct cpucycles_leak_findings *result, double now)
{
	const bool all = isfinite(result->beyond_high) && judge->held_calls >= CALLS_SHARES;
	const double calls = now * times_for_none(judge, result, all ? judge->times_beyond : 1);

	if (all)
		return calls;
	/* Of a function that becomes faster or slower, more calls may say as little. */
	if (judge->moved || !isfinite(judge->quantiles.deciles[0].high) || calls < CALLS_DECILES)
		return 0;
	return calls;
}

/* The calls of each group that might show that there is no difference that matters; or, if the
 * surest place is suspect, the calls that might show a difference. */
static uint64_t needed(const struct leak_judge *judge, const struct cpucycles_leak_findings *result,
		       double chance, double reach)
{
	const double now = ((double)result->calls[0] + (double)result->calls[1]) / 2;
	const double none = needed_for_none(judge, result, now);
	const double leak = now * fmax(1, 1 / (reach * reach));
	double calls = none;

	if (result->p_value >= judge->alpha && (chance < SUSPECT || !isfinite(none)))
		calls = none > 0 ? fmin(none, leak) : leak;
	return calls < CALLS_MOST ? (uint64_t)calls : CALLS_MOST;
}

static bool interim_look(struct leak_judge *judge, struct cpucycles_leak_findings *result)
{
	/* The parts of alpha that this look has. A chance by its part is one of the whole test,
	 * and the chance of an earlier look stands. */
	const double part_of_groups = (1 - CONTROL_PART) * verdict_share(1, ++judge->look);
	const double part_of_control = CONTROL_PART * verdict_share(1, judge->look);
	const double of_groups = part_of_groups * judge->alpha;
	const double reach = groups_reach(&judge->groups, of_groups);
	bool shown, inside, clear;
	double chance;
	size_t place;

	judge->looked = judge->groups.blocks;
	chance = groups_chance(&judge->groups, &place);
	result->p_value = fmin(result->p_value, chance / part_of_groups);
	result->surest = (int)lrint(100 * groups_quantile(place));
	groups_end(&judge->groups, GROUPS_TAIL, of_groups, judge->scratch, &judge->quantiles.tail);
	groups_end(&judge->groups, GROUPS_HEAD, of_groups, judge->scratch, &judge->quantiles.head);
	look_at_cuts(judge, of_groups, result);
	for (size_t i = 0; i < GROUPS_DECILES; i++)
		groups_difference(&judge->groups, i, of_groups, judge->scratch,
				  &judge->quantiles.deciles[i]);
	result->control_p_value = fmin(result->control_p_value,
				       groups_chance(&judge->control, &place) / part_of_control);
	result->calls_needed = 0;
	if (result->control_p_value < judge->alpha) {
		result->verdict = CPUCYCLES_LEAK_NO_CONTROL;
		return true;
	}
	shown = result->p_value < judge->alpha;
	inside = all_inside(judge, result);
	result->shown_below = shown && inside;
	result->verdict = CPUCYCLES_LEAK_CANNOT_TELL;
	clear = is_clear(judge, result);
	/* A caller who has set `threshold` asks whether the difference is as large. */
	if (shown && (clear || !judge->threshold_given))
		result->verdict = CPUCYCLES_LEAK_FOUND;
	else if (inside)
		result->verdict = CPUCYCLES_LEAK_NONE_ABOVE;
	else
		result->calls_needed = needed(judge, result, chance, reach);
	return shown ? inside || clear : inside && judge->threshold_given;
}

bool leak_judge_look(struct leak_judge *judge, bool last, struct cpucycles_leak_findings *result)
{
	const size_t due = last ? judge->looked + 1 : groups_due(judge->look + 1);

	return judge->groups.blocks >= due && interim_look(judge, result);
}

static bool is_chance(double chance)
{
	return chance >= 0 && chance <= 1;
}

static bool is_sane(const struct groups_interval *d)
{
	return isfinite(d->group0) && isfinite(d->difference) && d->low <= d->high;
}

static bool is_sane_beyond(const struct cpucycles_leak_findings *r)
{
	return r->beyond_most >= 0 && r->beyond_high >= 0 && r->beyond_within > 0 &&
	       isfinite(r->beyond_within) && r->beyond_quantile >= 1 && r->beyond_quantile <= 99;
}

bool leak_judge_is_sane(const struct cpucycles_leak_findings *r,
			const struct leak_quantiles *quantiles)
{
	bool sane = r->verdict >= CPUCYCLES_LEAK_CANNOT_TELL &&
		    r->verdict <= CPUCYCLES_LEAK_NO_CONTROL && r->unit >= CPUCYCLES_UNIT_CYCLES &&
		    r->unit <= CPUCYCLES_UNIT_NS && r->surest >= 1 && r->surest <= 99 &&
		    (r->surest % 10 == 0 || r->surest == 1 || r->surest == 99) &&
		    r->threshold > 0 && isfinite(r->threshold) && r->units_per_cycle >= 0 &&
		    isfinite(r->units_per_cycle) && is_chance(r->p_value) &&
		    is_chance(r->control_p_value) && is_sane(&quantiles->tail) &&
		    is_sane(&quantiles->head) && is_sane_beyond(r);

	for (size_t i = 0; i < GROUPS_DECILES; i++)
		sane = sane && is_sane(&quantiles->deciles[i]);
	return sane;
}
