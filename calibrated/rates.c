/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "counters.h"
#include "guard.h"
#include "log.h"
#include "rates.h"
#include "probe.h"
#include "raw-clock.h"

#include <inttypes.h>
#include <time.h>

/* One run at a time. Static, because it is too large for a stack. */
static struct {
	const struct counter *counters[COUNTERS_MAX]; /* set up */
	size_t n;
	struct regress_pair pairs[COUNTERS_MAX][RATES_ROUNDS];
	size_t rounds;     /* so far */
	uint64_t begun_ns; /* when the last round began and ended, by the clock */
	uint64_t ended_ns;
	bool paused; /* before this round */
	uint64_t clock_step;
	struct rates_plan plan;
} work;

bool rates_is_free_running(const struct counter *counter)
{
	return counter->class == COUNTER_OFF_CORE || counter->class == COUNTER_OS_CLOCK;
}

static struct regress_pair read_pair(const struct counter *counter)
{
	struct regress_pair pair;

	pair.before = (uint64_t)counter->read();
	pair.ns = raw_clock_ns();
	pair.after = (uint64_t)counter->read();
	return pair;
}

static uint64_t width(const struct regress_pair *pair)
{
	return pair->after - pair->before;
}

/* The first try after a pause is slow because the caches are cold, and an interrupt may slow down
 * any of them. From the third on, or the second without a pause, a try that is no better than the
 * best ends the reading. */
static struct regress_pair read_best_pair(const struct counter *counter)
{
	struct regress_pair best = read_pair(counter);

	for (int i = 1; i < RATES_TRIES; i++) {
		const struct regress_pair pair = read_pair(counter);

		if (width(&pair) < width(&best))
			best = pair;
		else if (i > 1 || !work.paused)
			break;
	}
	return best;
}

static void call_read_round(void *unused)
{
	(void)unused;
	work.begun_ns = raw_clock_ns();
	for (size_t i = 0; i < work.n; i++)
		work.pairs[i][work.rounds] = read_best_pair(work.counters[i]);
	work.rounds++;
	work.ended_ns = raw_clock_ns();
}

static void call_clock(void *unused)
{
	(void)unused;
	work.clock_step = raw_clock_step();
	work.ended_ns = raw_clock_ns();
}

size_t rates_rounds(uint64_t prepared_ns)
{
	if (prepared_ns <= RATES_PREPARED_NS)
		return RATES_ROUNDS;
	if (prepared_ns / RATES_PREPARED_NS >= RATES_ROUNDS / RATES_ROUNDS_MIN)
		return RATES_ROUNDS_MIN;
	return (size_t)(RATES_PREPARED_NS * (uint64_t)RATES_ROUNDS / prepared_ns);
}

uint64_t rates_pause_ns(const struct rates_plan *plan, uint64_t round_ns, uint64_t elapsed_ns)
{
	const uint64_t part_ns = plan->budget_ns / plan->rounds;

	return elapsed_ns < plan->budget_ns && round_ns < part_ns ? part_ns - round_ns : 0;
}

/* Whether another round follows. The budget ends the run only after RATES_ROUNDS_MIN rounds. */
static bool wants_more(uint64_t elapsed_ns)
{
	if (work.rounds < RATES_ROUNDS_MIN)
		return true;
	return work.rounds < work.plan.rounds && elapsed_ns < work.plan.budget_ns;
}

static void pause_within(uint64_t round_ns, uint64_t elapsed_ns)
{
	const uint64_t pause_ns = rates_pause_ns(&work.plan, round_ns, elapsed_ns);
	const struct timespec pause = { .tv_nsec = (long)pause_ns };

	work.paused = pause_ns != 0;
	if (work.paused)
		nanosleep(&pause, NULL);
}

/* False: the clock stands still, or something faulted. */
static bool read_rounds(void)
{
	uint64_t start;

	work.rounds = 0;
	work.paused = true; /* the first round finds cold caches too */
	work.clock_step = UINT64_MAX;
	if (guard_call(call_clock, NULL) || work.clock_step == UINT64_MAX)
		return false;
	start = work.ended_ns;
	while (wants_more(work.ended_ns - start)) {
		if (guard_call(call_read_round, NULL))
			return false;
		pause_within(work.ended_ns - work.begun_ns, work.ended_ns - start);
	}
	return true;
}

/* The process stays on one CPU, because a counter may jump where it moves to another one. */
static bool read_all(const struct rates_plan *plan)
{
	bool complete;

	work.plan = *plan;
	affinity_save();
	if (!affinity_pin_here())
		log_line(LOG_DEBUG, "rates: not kept on one CPU");
	complete = read_rounds();
	affinity_restore();
	return complete;
}

bool rates_record(const struct counter *counter, uint64_t step, uint64_t budget_ns,
		  struct regress_run *run)
{
	work.counters[0] = counter;
	work.n = 1;
	if (!read_all(&(struct rates_plan){ budget_ns, RATES_ROUNDS }))
		return false;
	*run = (struct regress_run){ work.pairs[0], work.rounds, step, work.clock_step };
	return true;
}

static void log_rate(const struct candidate *c, const struct regress_report *report)
{
	const char *name = c->counter->name;

	log_line(LOG_DEBUG, "rate: %s: %zu of %zu pairs over %" PRIu64 " us, %zu lines", name,
		 report->used, work.rounds, report->span_ns / 1000, report->lines);
	if (c->measured.hz == 0)
		log_line(LOG_WARNING, "rate: %s: unknown: the readings lie on no line", name);
	else if (c->measured.ppm > RATES_PPM_GOAL)
		/* No warning of OS clocks: one that moves by a microsecond cannot do better. */
		log_line(c->counter->class == COUNTER_OS_CLOCK ? LOG_INFO : LOG_WARNING,
			 "rate: %s: %" PRIu64 " Hz, within %" PRIu32 " ppm only (%d expected)",
			 name, c->measured.hz, c->measured.ppm, RATES_PPM_GOAL);
	else
		log_line(LOG_INFO, "rate: %s: %" PRIu64 " Hz within %" PRIu32 " ppm", name,
			 c->measured.hz, c->measured.ppm);
}

/* The counter's step is what the probe found as precision, without the penalty of the class. */
static void evaluate(size_t i, struct candidate *c)
{
	struct regress_report report;
	const struct regress_run run = {
		.pairs = work.pairs[i],
		.n = work.rounds,
		.step = c->precision - selection_penalty(c->counter),
		.clock_step = work.clock_step,
	};

	c->measured = regress_rate(&run, &report);
	log_rate(c, &report);
}

void rates_measure(struct candidate candidates[], size_t n, uint64_t persecond,
		   const struct rates_plan *plan)
{
	struct candidate *measured[COUNTERS_MAX], now;

	work.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct candidate *c = &candidates[i];

		c->measured = (struct rate){ 0 };
		if (c->reason != REASON_NONE || !rates_is_free_running(c->counter) ||
		    !probe_briefly(c->counter, persecond, c->hz, &now))
			continue;
		measured[work.n] = c;
		work.counters[work.n++] = c->counter;
	}
	if (work.n == 0)
		return;
	if (read_all(plan))
		for (size_t i = 0; i < work.n; i++)
			evaluate(i, measured[i]);
	else
		log_line(LOG_WARNING, "rates: unknown: the clock cannot be read, or stands still");
	for (size_t i = 0; i < work.n; i++)
		probe_teardown(work.counters[i]);
}
