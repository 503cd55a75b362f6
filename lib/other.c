/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "other.h"
#include "guard.h"
#include "hot.h"
#include "probe.h"

/*
 * The counter in use. Whoever reads it may do so at this moment, so it is not set up again. If its
 * register is closed, the guard gets the fault that the kept handler would have got, and tells the
 * counter in its place.
 */
COLD static bool reads_in_use(const struct counter *counter, struct candidate *found)
{
	if (probe_reads(counter, found) && !counter_is_lost(counter))
		return true;
	if (found->reason == REASON_SIGNAL && counter->closed &&
	    counter->closing_signals & COUNTER_SIGNAL(found->detail))
		counter->closed();
	else if (found->reason != REASON_NONE)
		return false;
	found->reason = REASON_CLOSED;
	found->detail = 0;
	return false;
}

/* Another counter, which is set up. Counts from a clock are not those of the counter. */
COLD static bool sets_up(const struct choose_options *options, const struct counter *counter,
			 struct candidate *found, struct rate *rate)
{
	if (!choose_other(options, counter, found, rate))
		return false;
	if (!counter_is_lost(counter))
		return true;
	probe_undo(counter);
	found->reason = REASON_CLOSED;
	return false;
}

COLD static bool try_other(const struct choose_options *options, const struct counter *counter,
			   bool keep, struct candidate *found, struct rate *rate)
{
	const struct counter *in_use = options->before->counter;
	const bool held = probe_hold(in_use, true);
	const bool works = sets_up(options, counter, found, rate);

	if (works && !keep)
		probe_undo(counter);
	probe_hold(in_use, held);
	if (works && keep && counter->closed)
		guard_keep(counter->closing_signals, counter->closed);
	return works;
}

COLD void other_try(const struct choose_options *options, const struct counter *counter, bool keep,
		    struct other *result)
{
	const struct choice *choice = options->before;
	struct candidate found = { .counter = counter, .reason = REASON_LAST_RESORT };
	struct rate rate = choice->rate;
	bool works = false;

	result->in_use = counter == choice->counter;
	/* The signals that the counter raises here are unknown yet. Where a sandbox refuses this, a
	 * counter whose signals are not caught is unusable. */
	guard_add(GUARD_ALL);
	if (counter->class != COUNTER_LAST_RESORT)
		works = result->in_use ? reads_in_use(counter, &found) :
					 try_other(options, counter, keep, &found, &rate);
	if (works && keep)
		probe_hold(counter, true);
	result->reason = found.reason;
	result->detail = found.detail;
	result->rate = works ? rate : (struct rate){ 0, 0 };
}
