/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "probe.h"
#include "counters.h"
#include "file.h"
#include "guard.h"
#include "hot.h"

#include <errno.h>
#include <string.h>

/* The step that runs under the guard. One probe runs at a time. */
static HOT struct {
	const struct counter *counter;
	struct counter_conditions conditions;
	uint64_t hz;
	int error;  /* as of a counter's setup */
	bool begun; /* the setup was called */
	long long first, second;
} trial;

/* Not on a thread's stack, which may be small. */
static long long counts[SELECTION_TURN];

/* The counters of the probe that runs: several are set up at once, because they are read in turns.
 */
static struct turn {
	const struct counter *set_up; /* NULL: it is not */
	bool done;
	unsigned tries; /* that have failed */
	struct selection_try now;
} turns[COUNTERS_MAX];

static HOT uint64_t kept_rates[COUNTERS_MAX]; /* Hz; 0: none */

static HOT unsigned holds; /* how many counters are held */
static bool held[COUNTERS_MAX];

/* The counter's index in the list; counters_count if it is not there. */
static size_t place(const struct counter *counter)
{
	size_t i = 0;

	while (i < counters_count && counters_list[i] != counter)
		i++;
	return i;
}

void probe_keep_rate(const struct counter *counter, uint64_t hz)
{
	const size_t i = place(counter);

	if (i < counters_count)
		kept_rates[i] = hz;
}

COLD bool probe_hold(const struct counter *counter, bool hold)
{
	const size_t i = place(counter);
	const bool before = i < counters_count && held[i];

	if (before == hold || i == counters_count)
		return before;
	held[i] = hold;
	holds = hold ? holds + 1 : holds - 1;
	return before;
}

COLD static bool holds_like(const struct counter *counter)
{
	size_t i = 0;

	while (i < counters_count &&
	       !(held[i] &&
		 (counters_list[i] == counter ||
		  (counter->teardown && counters_list[i]->teardown == counter->teardown))))
		i++;
	return i < counters_count;
}

/* Whether this counter is held, or one that shares what it takes. */
static bool is_held(const struct counter *counter)
{
	return holds > 0 && holds_like(counter);
}

static void call_rate(void *unused)
{
	(void)unused;
	trial.error = trial.counter->rate(&trial.hz);
}

static void call_setup(void *unused)
{
	(void)unused;
	trial.begun = true;
	trial.error = trial.counter->setup(&trial.conditions);
}

static void call_read(void *unused)
{
	(void)unused;
	for (size_t i = 0; i < SELECTION_TURN; i++)
		counts[i] = trial.counter->read();
}

static void call_read_twice(void *unused)
{
	(void)unused;
	trial.first = trial.counter->read();
	trial.second = trial.counter->read();
}

/* As many reads as the tries of a probe have, but a counter that works needs only a few of them:
 * a time base of 24 MHz shows each value for 42 ns. */
static void call_read_on(void *unused)
{
	(void)unused;
	for (unsigned i = 2; i < SELECTION_READS * SELECTION_TRIES && trial.second == trial.first;
	     i++)
		trial.second = trial.counter->read();
}

static void call_teardown(void *unused)
{
	(void)unused;
	trial.counter->teardown();
}

static bool unusable(struct candidate *result, enum reason reason, int detail)
{
	result->reason = reason;
	result->detail = detail;
	return false;
}

/* Run one step under the guard. False: the counter is unusable, and *result has the reason. */
static bool step(void (*call)(void *), struct candidate *result)
{
	int signal;

	trial.error = 0;
	signal = file_guard_call(call, NULL); /* some counters read a file for their rate */
	if (signal)
		return unusable(result, REASON_SIGNAL, signal);
	if (trial.error == COUNTER_ABSENT)
		return unusable(result, REASON_ABSENT, 0);
	if (trial.error <= COUNTER_CLOSED)
		return unusable(result, REASON_CLOSED, COUNTER_CLOSED - trial.error);
	if (trial.error)
		return unusable(result, REASON_ERRNO, -trial.error);
	return true;
}

COLD static void tear_down(const struct counter *counter)
{
	struct candidate ignored;

	trial.counter = counter;
	if (counter->teardown)
		step(call_teardown, &ignored);
}

COLD void probe_teardown(const struct counter *counter)
{
	if (!is_held(counter))
		tear_down(counter);
}

/* If the counter is held, only a setup has something to undo. */
COLD void probe_undo(const struct counter *counter)
{
	if (trial.begun || !is_held(counter))
		tear_down(counter);
}

/* Whether the probe has set another counter up that takes the same. Then this one is set up as a
 * held one: it keeps the thread's perf events, which serve both. */
static bool is_taken(const struct counter *counter)
{
	size_t i = 0;

	while (i < COUNTERS_MAX && !(counter->teardown && turns[i].set_up &&
				     turns[i].set_up->teardown == counter->teardown))
		i++;
	return i < COUNTERS_MAX;
}

/* Find the rate, if hz is 0, and the scaling, and set the counter up. */
static bool prepare(const struct counter *counter, uint64_t persecond, uint64_t hz,
		    struct candidate *result)
{
	const size_t i = place(counter);
	const uint64_t kept = counter->rate && i < counters_count ? kept_rates[i] : 0;

	trial.begun = false;
	if (!guard_add(counter->signals))
		return unusable(result, REASON_ERRNO, errno);
	trial.counter = counter;
	trial.hz = kept ? kept : counter->rate ? hz : 0;
	if (counter->rate && trial.hz == 0 && !step(call_rate, result))
		return false;
	result->hz = trial.hz;
	if (!selection_scaling(counter->class, trial.hz, persecond, &result->scaling))
		return unusable(result, REASON_SCALING, 0);
	trial.conditions = (struct counter_conditions){ persecond, result->scaling,
							is_held(counter) || is_taken(counter) };
	return step(call_setup, result);
}

static bool set_up(struct turn *turn, uint64_t persecond, struct candidate *result)
{
	if (result->counter->class == COUNTER_LAST_RESORT)
		return unusable(result, REASON_LAST_RESORT, 0);
	if (prepare(result->counter, persecond, 0, result)) {
		turn->set_up = result->counter;
		return true;
	}
	probe_undo(result->counter);
	return false;
}

COLD static void finish(struct turn *turn)
{
	if (turn->set_up)
		tear_down(turn->set_up);
	turn->set_up = NULL;
}

/* False: there is nothing more to read. */
static bool read_on(struct turn *turn, struct candidate *result)
{
	enum reason reason;

	if (!step(call_read, result))
		return false;
	reason = selection_add_turn(&turn->now, counts);
	if (reason == REASON_NONE) {
		if (turn->now.least_step)
			result->precision =
				turn->now.least_step + selection_penalty(result->counter);
		return turn->now.reads < SELECTION_READS;
	}
	result->precision = 0;
	turn->now = (struct selection_try){ 0 };
	turn->tries++;
	return turn->tries < SELECTION_TRIES || unusable(result, reason, 0);
}

/* A held counter has all its turns at once: its teardown goes back to what was there before the
 * last setup (struct counter_conditions), so no other setup may come in between. */
static bool takes_all(const struct counter *counter)
{
	return counter->teardown && is_held(counter);
}

static void take_turn(struct turn *turn, uint64_t persecond, struct candidate *result)
{
	const bool all = takes_all(result->counter);
	bool more = turn->set_up || set_up(turn, persecond, result);

	trial.counter = result->counter;
	do
		more = more && read_on(turn, result);
	while (more && all);
	if (result->reason != REASON_NONE)
		result->precision = 0;
	if (all)
		finish(turn);
	turn->done = !more;
}

/* True: some have further turns to take. */
static bool take_turns(uint64_t persecond, bool prune, struct candidate results[], size_t n)
{
	bool more = false;

	for (size_t i = 0; i < n; i++) {
		if (turns[i].done)
			continue;
		if (prune && selection_is_beaten(results, n, i)) {
			unusable(&results[i], REASON_PRUNED, 0);
			turns[i].done = true;
			continue;
		}
		take_turn(&turns[i], persecond, &results[i]);
		more = more || !turns[i].done;
	}
	return more;
}

/* Probe those whose reason is REASON_NONE. */
static void probe_in_turns(uint64_t persecond, bool prune, struct candidate results[], size_t n)
{
	for (size_t i = 0; i < n; i++)
		turns[i] = (struct turn){ .done = results[i].reason != REASON_NONE };
	while (take_turns(persecond, prune, results, n))
		;
	/* In reverse order, because counters that take the same give it back as they took it. */
	for (size_t i = n; i-- > 0;)
		finish(&turns[i]);
}

COLD void probe_counter(const struct counter *counter, uint64_t persecond, struct candidate *result)
{
	*result = (struct candidate){ .counter = counter };
	probe_in_turns(persecond, false, result, 1);
}

COLD void probe_class(enum counter_class class, uint64_t persecond, struct candidate results[])
{
	for (size_t i = 0; i < counters_count; i++)
		results[i] = (struct candidate){
			.counter = counters_list[i],
			.reason = counters_list[i]->class == class ? REASON_NONE : REASON_PRUNED,
		};
	probe_in_turns(persecond, false, results, counters_count);
}

/* Whether one may have won that was pruned, because the counter that had beaten it failed later. */
static bool is_in_doubt(const struct candidate results[])
{
	size_t i = 0;

	while (i < counters_count && (results[i].reason != REASON_PRUNED ||
				      selection_is_beaten(results, counters_count, i)))
		i++;
	return i < counters_count;
}

COLD void probe_all(uint64_t persecond, bool prune, struct candidate results[])
{
	do {
		for (size_t i = 0; i < counters_count; i++)
			results[i] = (struct candidate){ .counter = counters_list[i] };
		probe_in_turns(persecond, prune, results, counters_count);
		prune = false;
	} while (is_in_doubt(results));
}

/*
 * Whether a counter of this class has to move. A cycle register that is not enabled shows one value
 * for ever, and so does a perf event that gets no counter of the PMU. But an OS clock may move by
 * 4 ms at a time, so standing still tells nothing about such a clock. The last resort never moves.
 */
static bool has_to_move(enum counter_class class)
{
	return class != COUNTER_OS_CLOCK && class != COUNTER_LAST_RESORT;
}

/* Two reads tell whether the counter faults, runs backwards or moves. Where they are equal, more
 * reads tell whether the counter stands still. */
static bool reads_twice(struct candidate *result)
{
	result->reason = REASON_NONE;
	if (!step(call_read_twice, result))
		return false;
	if (trial.second == trial.first && has_to_move(trial.counter->class)) {
		if (!step(call_read_on, result))
			return false;
		if (trial.second == trial.first)
			return unusable(result, REASON_STILL, 0);
	}
	if (trial.second < trial.first)
		return unusable(result, REASON_DECREASED, 0);
	return true;
}

bool probe_briefly(const struct counter *counter, uint64_t persecond, uint64_t hz,
		   struct candidate *result)
{
	result->counter = counter;
	if (prepare(counter, persecond, hz, result) && reads_twice(result))
		return true;
	probe_undo(counter);
	return false;
}

COLD bool probe_reads(const struct counter *counter, struct candidate *result)
{
	result->counter = trial.counter = counter;
	return reads_twice(result);
}
