/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "need.h"
#include "kperf.h"
#include "number.h"
#include "raw-clock.h"
#include "reason.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const wanted[] = {
	[CPUCYCLES_NEED_ANY] = "a counter",
	[CPUCYCLES_NEED_FINE] = "a counter with a step of 2 ns or less",
	[CPUCYCLES_NEED_CYCLES] = "a counter of the core's cycles",
	[CPUCYCLES_NEED_THREAD] = "a counter of this thread's cycles of the core",
};

int need_measure(const struct source *source, double scratch[], struct instrument *instrument,
		 struct reason_text *reason)
{
	instrument_measure(source, scratch, instrument);
	if (instrument->resolution > 0)
		return 0;
	reason_say(reason, 0, "%s: stands still", source->name);
	return -ENOTSUP;
}

/* What a counter must be before it is measured. */
static bool may_do(int need, const struct source *source)
{
	switch (need) {
	case CPUCYCLES_NEED_ANY:
		return source->in_use;
	case CPUCYCLES_NEED_FINE:
		return true;
	default:
		return source->unit == CPUCYCLES_UNIT_CYCLES &&
		       (need == CPUCYCLES_NEED_CYCLES || source->own_thread);
	}
}

/* Make it ready, and measure whether it fulfils the need. */
static int try_source(int need, double scratch[], struct source *source,
		      struct instrument *instrument, struct reason_text *reason)
{
	int error = source_ready(source, reason);

	if (!error)
		error = need_measure(source, scratch, instrument, reason);
	if (error)
		return error;
	/* Core cycles are always fine. */
	if (need == CPUCYCLES_NEED_FINE && source->unit != CPUCYCLES_UNIT_CYCLES &&
	    !(instrument->resolution_ns <= NEED_FINE_NS)) {
		reason_say(reason, 0, "%s: its step takes about %s ns", source->name,
			   instrument->resolution_ns < 10 ?
				   number_digits(3, instrument->resolution_ns).text :
				   number_digits(9, round(instrument->resolution_ns)).text);
		return -ENOTSUP;
	}
	return 0;
}

/* Of the reasons why counters are unusable, the user needs one that can be mended. */
static bool is_mendable(int error)
{
	return error == EACCES || error == EPERM;
}

/* Try the counters of the list: the one in use alone, or all others. */
static int try_list(int need, bool in_use, double scratch[], struct source *source,
		    struct instrument *instrument, struct reason_text *why)
{
	for (unsigned i = 0;; i++) {
		struct reason_text reason;
		int error;

		reason_clear(&reason);
		error = source_look(i, source, &reason);
		if (error == -EINVAL)
			return -ENOTSUP;
		if (error && error != -ENOTSUP)
			return error;
		if (source->in_use != in_use || !may_do(need, source))
			continue;
		if (!error && !try_source(need, scratch, source, instrument, &reason))
			return 0;
		if (!why->what[0] || (is_mendable(reason.error) && !is_mendable(why->error)))
			*why = reason;
	}
}

static int find_source(int need, double scratch[], struct source *source,
		       struct instrument *instrument, struct reason_text *why)
{
	const int error = try_list(need, true, scratch, source, instrument, why);

	if (error != -ENOTSUP)
		return error;
	return try_list(need, false, scratch, source, instrument, why);
}

/* macOS gives programs no counter of cycles, except by kperf. */
static bool try_kperf(int need, double scratch[], struct source *source,
		      struct instrument *instrument)
{
	if (need < CPUCYCLES_NEED_CYCLES)
		return false;
	*source = (struct source){ .name = "kperf",
				   .unit = CPUCYCLES_UNIT_CYCLES,
				   .units = 1,
				   .own_thread = true,
				   .is_kperf = true };
	if (kperf_cycles_ready(&source->read, NULL))
		return false;
	if (!need_measure(source, scratch, instrument, NULL))
		return true;
	kperf_cycles_close();
	return false;
}

static void refuse(int need, const struct reason_text *why, struct reason_text *reason)
{
	if (why->what[0])
		reason_say(reason, why->error, "%s cannot be had: %s", wanted[need], why->what);
	else
		reason_say(reason, 0, "%s cannot be had: this machine has none", wanted[need]);
	if (why->remedy[0])
		reason_remedy(reason, "%s", why->remedy);
	else
		reason_advise(reason, why->error);
}

/* As cpucycles_counter_look(3) said. */
static int cannot_try(int error, struct reason_text *reason)
{
	reason_say(reason, -error, "no counter can be tried in this thread now: %s",
		   strerror(-error));
	reason_remedy(reason, "see cpucycles-sandbox(7), and the errors of "
			      "cpucycles_counter_look(3)");
	return error;
}

int need_fulfil(int need, bool next_best, double scratch[], struct source *source,
		struct instrument *instrument, struct reason_text *reason)
{
	struct reason_text why;
	int error;

	reason_clear(&why);
	reason_clear(reason);
	if (raw_clock_is_forbidden()) {
		reason_say(reason, EACCES,
			   "this process must not read the time-stamp counter, "
			   "which clocks need (prctl(2), PR_SET_TSC)");
		reason_remedy(reason, "measure in a process without this restriction");
		return -ENOTSUP;
	}
	error = find_source(need, scratch, source, instrument, &why);
	if (error != -ENOTSUP)
		return error ? cannot_try(error, reason) : 0;
	if (try_kperf(need, scratch, source, instrument))
		return 0;
	refuse(need, &why, reason);
	while (next_best && need-- > CPUCYCLES_NEED_ANY) {
		error = find_source(need, scratch, source, instrument, &why);
		if (!error) {
			source->finest = true;
			return 1;
		}
		if (error != -ENOTSUP)
			return cannot_try(error, reason);
	}
	return -ENOTSUP;
}
