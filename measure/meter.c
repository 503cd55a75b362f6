/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#pragma GCC visibility push(default)
#include "cpucycles-measure.h"
#pragma GCC visibility pop

#include "chain.h"
#include "sized.h"
#include "judge.h"
#include "leak.h"
#include "meter.h"
#include "number.h"
#include "pair.h"
#include "reason.h"
#include "run.h"
#include "tsc.h"

#include <errno.h>

#define BUDGET_DEFAULT_NS 500000000u
#define SEED_DEFAULT 1

/* A check measures for CHECK_NS. */
#define CHECK_NS 100000000u

int cpucycles_meter_info(const struct cpucycles_meter *meter, struct cpucycles_counter_info *info)
{
	const struct cpucycles_counter_info i = {
		.size = sizeof i,
		.counter = meter->source.name,
		.unit = meter->source.unit,
		.next_best = meter->next_best,
		.resolution = meter->instrument.resolution,
		.overhead = meter->instrument.overhead,
		.overhead_iqr = meter->instrument.overhead_iqr,
		.hz = meter->source.hz,
		.hz_ppm = meter->source.hz_ppm,
		.own_thread = meter->source.own_thread,
	};
	const int error = meter_check_use(meter, NULL);

	return error ? error : sized_copy_out(info, &i, sizeof i) ? 0 : -EINVAL;
}

/* Counts */

/* The counts of a clock are scaled to cycles. They become nanoseconds since the first count of the
 * meter, because a double has no digits for the time since 1970. */
int64_t cpucycles_meter_now(const struct cpucycles_meter *meter)
{
	const int64_t now = pair_count(&meter->source);

	if (meter->source.unit != CPUCYCLES_UNIT_NS)
		return now;
	return (int64_t)((double)(now - meter->first) * meter->source.units);
}

int cpucycles_meter_lost(const struct cpucycles_meter *meter)
{
	const int error = meter_check_use(meter, NULL);

	return error ? error : source_is_lost(&meter->source);
}

/* Runs */

/* Into the tracks of the next run. */
static int take_works(struct cpucycles_meter *meter, const struct cpucycles_work works[], size_t n,
		      struct reason_text *reason)
{
	int error = 0;

	if (!works || n < 1 || n > meter->run.works_max)
		return reason_say(reason, EINVAL, "works: %zu, expected 1 to %zu", n,
				  meter->run.works_max);
	for (size_t i = 0; i < n && !error; i++)
		error = meter_take_work(works, i, &meter->run.tracks[i].work, reason);
	return error;
}

static int complete_plan(const struct cpucycles_plan *plan, uint64_t budget_ns,
			 struct cpucycles_plan *p, struct reason_text *reason)
{
	const int error = plan ? meter_take(p, plan, sizeof *p, "plan", reason) : 0;

	if (error)
		return error;
	if (!plan)
		*p = (struct cpucycles_plan){ .size = sizeof *p };
	if (p->budget_ns == 0)
		p->budget_ns = budget_ns;
	if (p->samples == 0)
		p->samples = UINT64_MAX;
	if (p->seed == 0)
		p->seed = SEED_DEFAULT;
	if (p->alpha == 0)
		p->alpha = VERDICT_ALPHA;
	if (p->flags & ~CPUCYCLES_PLAN_WHOLE)
		return reason_say(reason, EINVAL,
				  "plan with flags %#x: expected CPUCYCLES_PLAN_WHOLE", p->flags);
	if (p->alpha > 0 && p->alpha < 1)
		return 0;
	return reason_say(reason, EINVAL, "alpha is %s, expected a number between 0 and 1",
			  number_digits(6, p->alpha).text);
}

/* What is void of a run. Without the counter, that is more than without the events. */
static int check_loss(const struct cpucycles_meter *meter, struct reason_text *reason)
{
	const struct watch *watch = &meter->run.watch;

	if (watch->lost) {
		reason_say(reason, EAGAIN, "the kernel took %s away from this thread",
			   meter->source.name);
		reason_remedy(reason, "measure again");
		return -EAGAIN;
	}
	return judge_events_lost(&meter->run, reason);
}

/* Only the last run has results. Those of the run before are forgotten also where this one is
 * refused: they shall not be taken for results of these works. */
static int run(struct cpucycles_meter *meter, const struct meter_order *order,
	       struct reason_text *reason)
{
	struct cpucycles_leak leak;
	struct cpucycles_plan plan;
	int error = order->leak ? leak_take(order->leak, &leak, reason) :
				  take_works(meter, order->works, order->n, reason);

	if (!error)
		error = complete_plan(order->plan, order->leak ? LEAK_BUDGET_NS : BUDGET_DEFAULT_NS,
				      &plan, reason);
	meter->run.works = 0;
	meter->leak.known = false;
	if (error)
		return error;
	if (order->leak)
		error = leak_run(meter, &leak, &plan, reason);
	else
		error = run_all(&meter->run, &meter->source, &meter->instrument, order->n, &plan);
	if (error == -ERANGE)
		judge_too_fast(&meter->run, &meter->source, &meter->instrument, reason);
	return error ? error : check_loss(meter, reason);
}

/* Meanwhile the meter is in use, and its functions refuse to be called. */
int meter_run(struct cpucycles_meter *meter, const struct meter_order *order,
	      struct reason_text *reason)
{
	int error;

	reason_clear(reason);
	error = meter_check_use(meter, reason);
	if (error)
		return error;
	meter->running = true;
	error = run(meter, order, reason);
	meter->running = false;
	return error;
}

void meter_judge(struct cpucycles_meter *meter)
{
	for (size_t i = 0; i < meter->run.works; i++)
		judge_find(&meter->run, &meter->source, &meter->instrument, i, &meter->findings[i]);
}

static void known_work(void *unused)
{
	(void)unused;
	chain_run(1);
}

int meter_run_check(struct cpucycles_meter *meter, struct reason_text *reason)
{
	const struct cpucycles_work work = CPUCYCLES_WORK("known work", known_work, NULL);
	const struct cpucycles_plan plan = { .size = sizeof plan, .budget_ns = CHECK_NS };

	return meter_run(meter, &(struct meter_order){ .works = &work, .n = 1, .plan = &plan },
			 reason);
}

/* A run has come to this end. Getters find it judged, unless this caller may not use the meter. */
static void judge_ended(struct cpucycles_meter *meter, int error)
{
	if (error != -EPERM && error != -EBUSY)
		meter_judge(meter);
}

static int give_reason(int error, struct cpucycles_reason *to, const struct reason_text *reason)
{
	const int given = reason_give(to, reason);

	return error ? error : given;
}

int cpucycles_meter_run(struct cpucycles_meter *meter, const struct cpucycles_work works[],
			size_t n, const struct cpucycles_plan *plan,
			struct cpucycles_reason *reason)
{
	const struct meter_order order = { .works = works, .n = n, .plan = plan };
	struct reason_text why;
	const int error = meter_run(meter, &order, &why);

	judge_ended(meter, error);
	return give_reason(error, reason, &why);
}

int cpucycles_leak_run(struct cpucycles_meter *meter, const struct cpucycles_leak *leak,
		       const struct cpucycles_plan *plan, struct cpucycles_reason *reason)
{
	struct reason_text why;
	const int error =
		meter_run(meter, &(struct meter_order){ .leak = leak, .plan = plan }, &why);

	return give_reason(error, reason, &why);
}

int cpucycles_meter_check(struct cpucycles_meter *meter, uint64_t *warnings,
			  struct cpucycles_reason *reason)
{
	struct cpucycles_result result = { .size = sizeof result };
	struct reason_text why;
	int error = meter_run_check(meter, &why);

	judge_ended(meter, error);
	*warnings = 0;
	error = give_reason(error, reason, &why);
	if (!error)
		error = cpucycles_meter_result(meter, 0, &result);
	if (!error)
		*warnings = result.warnings;
	return error;
}

/* Results */

int meter_findings(const struct cpucycles_meter *meter, size_t i,
		   const struct judge_findings **findings)
{
	const int error = judge_has_samples(&meter->run, i);

	*findings = error ? NULL : &meter->findings[i];
	return error;
}

/* The same, for the owner only. */
static int take_findings(const struct cpucycles_meter *meter, size_t i,
			 const struct judge_findings **findings)
{
	const int error = meter_check_use(meter, NULL);

	return error ? error : meter_findings(meter, i, findings);
}

int cpucycles_meter_result(const struct cpucycles_meter *meter, size_t i,
			   struct cpucycles_result *result)
{
	const struct judge_findings *f;
	const int error = take_findings(meter, i, &f);

	if (error)
		return error;
	return sized_copy_out(result, &f->result, sizeof f->result) ? 0 : -EINVAL;
}

int cpucycles_meter_warning(const struct cpucycles_meter *meter, size_t i, uint64_t warning,
			    struct cpucycles_reason *reason)
{
	const struct judge_findings *f;
	struct reason_text why;
	int error = take_findings(meter, i, &f);

	if (!error)
		error = judge_warning(f, warning, &why);
	return error ? error : give_reason(0, reason, &why);
}

int cpucycles_meter_verdict(const struct cpucycles_meter *meter, size_t i,
			    struct cpucycles_verdict *verdict)
{
	const struct judge_findings *f;
	struct cpucycles_verdict v;
	int error = take_findings(meter, i, &f);

	if (i < 1 && error != -EPERM && error != -EBUSY)
		error = -EINVAL;
	if (error)
		return error;
	judge_verdict(f, &v);
	return sized_copy_out(verdict, &v, sizeof v) ? 0 : -EINVAL;
}

int cpucycles_meter_samples(const struct cpucycles_meter *meter, size_t i, const double **samples,
			    size_t *n)
{
	const int error = meter_check_use(meter, NULL);

	*samples = NULL;
	*n = 0;
	if (error)
		return error;
	if (meter->leak.known)
		return leak_samples(meter, i, samples, n);
	return judge_samples(&meter->run, i, samples, n);
}

/* Whether there is a result of a test. */
static int check_leak(const struct cpucycles_meter *meter)
{
	const int error = meter_check_use(meter, NULL);

	if (error)
		return error;
	if (!meter->leak.known)
		return -ENODATA;
	return meter->run.watch.lost ? -EAGAIN : 0;
}

int cpucycles_leak_result(const struct cpucycles_meter *meter,
			  struct cpucycles_leak_findings *result)
{
	const int error = check_leak(meter);

	if (error)
		return error;
	return sized_copy_out(result, &meter->leak.result, sizeof meter->leak.result) ? 0 : -EINVAL;
}

/* NULL: there is no such quantile. */
static const struct groups_interval *interval_at(const struct leak_quantiles *quantiles,
						 int percent)
{
	if (percent == 1)
		return &quantiles->head;
	if (percent == 99)
		return &quantiles->tail;
	if (percent < 10 || percent > 90 || percent % 10)
		return NULL;
	return &quantiles->deciles[percent / 10 - 1];
}

int cpucycles_leak_quantile(const struct cpucycles_meter *meter, int percent,
			    struct cpucycles_leak_difference *quantile)
{
	const struct groups_interval *const in = interval_at(&meter->leak.quantiles, percent);
	struct cpucycles_leak_difference q = { .size = sizeof q };
	const int error = check_leak(meter);

	if (error)
		return error;
	if (!in)
		return -EINVAL;
	q.group0 = in->group0;
	q.difference = in->difference;
	q.low = in->low;
	q.high = in->high;
	return sized_copy_out(quantile, &q, sizeof q) ? 0 : -EINVAL;
}

/* Events */

int cpucycles_meter_event_info(const struct cpucycles_meter *meter, size_t event,
			       struct cpucycles_event_info *info, struct cpucycles_reason *reason)
{
	struct reason_text why;
	int error, given;

	reason_clear(&why);
	error = meter_check_use(meter, &why);
	if (!error)
		error = judge_event_info(&meter->run, event, info, &why);
	given = reason_give(reason, &why);
	return given ? given : error;
}

int cpucycles_meter_event(const struct cpucycles_meter *meter, size_t i, size_t event,
			  double *per_call)
{
	const int error = meter_check_use(meter, NULL);

	return error ? error : judge_event(&meter->run, i, event, per_call);
}

int cpucycles_meter_counts(struct cpucycles_meter *meter, uint64_t counts[], size_t n)
{
	const int error = meter_check_use(meter, NULL);

	if (error)
		return error;
	/* Who wants no count may only want to know the moment. */
	if (!meter->run.events && n > 0)
		return -EINVAL;
	return events_read(&meter->events, counts, n);
}

/* The counter is read on both sides: the thread may be interrupted between the counter and the
 * events, and the caller sees by the distance how exact the moment is. */
int cpucycles_meter_counts_at(struct cpucycles_meter *meter, uint64_t counts[], size_t n,
			      struct cpucycles_moment *moment)
{
	struct cpucycles_moment m = { .size = sizeof m };
	int error = meter_check_use(meter, NULL);

	if (error)
		return error;
	m.count = cpucycles_meter_now(meter);
	/* Counters that are the time-stamp counter give its ticks as they are. */
	m.tsc = (uint64_t)(meter->source.is_tsc ? m.count : tsc_read());
	error = cpucycles_meter_counts(meter, counts, n);
	if (error)
		return error;
	m.within = cpucycles_meter_now(meter) - m.count;
	return sized_copy_out(moment, &m, sizeof m) ? 0 : -EINVAL;
}
