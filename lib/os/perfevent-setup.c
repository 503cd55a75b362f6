/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What a counter over perf events sets up: which kinds of events all threads open, and this
 * thread's events. A setup of held events (struct counter_conditions) takes the place of another
 * counter's, and its teardown goes back to that.
 */

#include "config.h"

#include "os/perfevent.h"
#include "file.h"
#include "hot.h"
#include "os/clock.h"
#include "os/core-pmus.h"
#include "os/perfevent-set.h"

#include <errno.h>

/* Bring the thread's count up to date, before its events are released: otherwise the cycles since
 * the last read would be missing. */
static void catch_up(struct perfevent *event)
{
	if (!perfevent_process_is_foreign(event->process))
		perfevent_read(event);
}

static bool is_same_kind(const struct perfevent_kind *a, const struct perfevent_kind *b)
{
	return a->type == b->type && a->config == b->config && a->config1 == b->config1;
}

static bool are_same(const struct perfevent_kinds *a, const struct perfevent_kinds *b)
{
	unsigned i = 0;

	while (i < a->n && i < b->n && is_same_kind(&a->of[i], &b->of[i]))
		i++;
	return i == a->n && i == b->n && a->by_call == b->by_call;
}

/* Whether a counter that wants these kinds can use the present ones. read(2) gives the cycles of an
 * event whose register can be read, too. */
static bool is_served(const struct perfevent_kinds *wanted)
{
	struct perfevent_kinds present = perfevent_chosen;

	if (wanted->by_call && !perfevent_chosen.by_call) {
		present.by_call = true;
		for (unsigned i = 0; i < perfevent_chosen.n && i < wanted->n; i++)
			present.of[i].config1 = wanted->of[i].config1;
	}
	return are_same(wanted, &present);
}

/* What a setup of held events found. The teardown goes back to it. */
static HOT bool held;
static struct {
	struct perfevent_kinds kinds;
	bool counting; /* the thread had events */
} before;

static void begin_setup(const struct counter_conditions *conditions)
{
	held = conditions->held;
	if (!held)
		return;
	perfevent_set_begin();
	before.kinds = perfevent_chosen;
	before.counting = true; /* if a fault cuts off the question */
	before.counting = perfevent_set_is_counting(&perfevent_this);
}

COLD static int setup_held(const struct perfevent_kinds *wanted)
{
	struct perfevent *event = &perfevent_this;
	const bool served = is_served(wanted), counting = perfevent_set_is_counting(event);
	int error;

	if (served && counting && (wanted->by_call || event->readable == event->n))
		return 0;
	if (counting) {
		error = perfevent_set_try(wanted);
		if (error)
			return error;
	}
	catch_up(event);
	perfevent_choose(served ? &perfevent_chosen : wanted);
	return perfevent_open();
}

/* Where no event can be opened, the thread's next read tries again, and then takes the clock. */
COLD static void go_back(struct perfevent *event)
{
	const bool changed = !are_same(&perfevent_chosen, &before.kinds);

	perfevent_set_call_close(NULL); /* what a fault has cut off */
	if (before.counting && !changed && perfevent_set_is_counting(event))
		return;
	catch_up(event);
	if (changed)
		perfevent_choose(&before.kinds);
	if (before.counting)
		perfevent_open();
	else
		perfevent_set_release(event);
}

/* The answer to the last request for a single event, if the kernel does not have it or a rule
 * forbids it. Most machines without a PMU answer so, and several counters want that event. */
static struct {
	unsigned selection;
	struct perfevent_kind kind;
	int error;
} refused;

static bool was_refused(const struct perfevent_kinds *wanted)
{
	return counter_selection && refused.selection == counter_selection && wanted->n == 1 &&
	       is_same_kind(&refused.kind, &wanted->of[0]);
}

/* Other errors may be gone a moment later: a thread has closed a descriptor. */
COLD static int note_refusal(const struct perfevent_kinds *wanted, int error)
{
	if (wanted->n == 1 && (error == -ENOENT || error == -EACCES || error == -EPERM)) {
		refused.selection = counter_selection;
		refused.kind = wanted->of[0];
		refused.error = error;
	}
	return error;
}

COLD int perfevent_setup(const struct perfevent_kinds *wanted, uint64_t persecond)
{
	published_keep(&perfevent_multiplier, clock_multiplier(persecond));
	if (held)
		return setup_held(wanted);
	if (was_refused(wanted))
		return refused.error;
	perfevent_choose(wanted);
	return note_refusal(wanted, perfevent_open());
}

/* What sysfs says of the cores. It is asked once in a process. */
static HOT struct perfevent_kinds core_kinds;
static HOT bool core_kinds_known;

COLD static void call_find(void *error)
{
	*(int *)error = core_pmus_find(CORE_PMUS_ROOT, &core_kinds);
}

/* Where a sandbox answers the look at files with a signal, nothing is known of the cores, as where
 * there is no sysfs. */
static int find_core_kinds(void)
{
	int error = 0;

	if (core_kinds_known)
		return 0;
	if (file_guard_call(call_find, &error))
		core_kinds.n = 0;
	core_kinds_known = !error;
	return error;
}

/* The generic event first: most often it cannot be opened, and sysfs need not be looked at. */
COLD int perfevent_setup_cycles(uint64_t config1, bool by_call, uint64_t persecond)
{
	struct perfevent_kinds wanted = {
		.n = 1,
		.by_call = by_call,
		.of[0] = { PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, config1 },
	};
	int error;

	if (core_kinds.n == 0) {
		error = perfevent_setup(&wanted, persecond);
		if (!error)
			error = find_core_kinds();
		if (error || core_kinds.n == 0)
			return error;
	}
	wanted = core_kinds;
	wanted.by_call = by_call;
	for (unsigned i = 0; i < wanted.n; i++)
		wanted.of[i].config1 = config1;
	return perfevent_setup(&wanted, persecond);
}

COLD int perfevent_setup_by_call(const struct counter_conditions *conditions)
{
	begin_setup(conditions);
	return perfevent_setup_cycles(0, true, conditions->persecond);
}

bool perfevent_register_is_open(const struct perfevent *event, perfevent_register *read_register)
{
	long long raw;

	return event->readable > 0 &&
	       perfevent_page_sum(event->pages, event->readable, read_register, &raw);
}

COLD int perfevent_setup_register(uint64_t config1, const struct counter_conditions *conditions,
				  perfevent_register *read_register)
{
	int error;

	begin_setup(conditions);
	error = perfevent_setup_cycles(config1, false, conditions->persecond);
	if (error)
		return error;
	if (perfevent_register_is_open(&perfevent_this, read_register))
		return 0;
	return COUNTER_CLOSED + (perfevent_this.readable ? 0 : perfevent_this.page_error);
}

COLD void perfevent_teardown(void)
{
	if (held)
		go_back(&perfevent_this);
	else
		perfevent_set_release(&perfevent_this);
	held = false;
}
