/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "cpucycles.h"
#include "raw-clock.h"
#include "samples-run.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S 1000000000u

/* Set what the ranking says of this counter, if it knows the counter as usable. */
static void set_ranked(const struct samples_run *run, struct samples_counter *c)
{
	const struct candidate *all = inspect_ranking(run->inspection), *found = all;

	while (found < all + counters_count &&
	       (found->counter != c->counter || found->reason != REASON_NONE))
		found++;
	if (found == all + counters_count)
		return;
	c->rank = (size_t)(found - all);
	c->precision = found->precision;
	c->scaling = found->scaling;
	/* The widest bound says that the rate is not fixed. */
	if (!found->measured.hz || found->measured.ppm >= RATE_PPM_MAX)
		return;
	c->rate = found->measured;
	c->bounded = true;
}

/* False: the counter does not work here. */
static bool make_ready(const struct samples_run *run, const struct counter *counter,
		       struct samples_counter *c)
{
	struct cpucycles_counter found = { .size = sizeof found };

	if (cpucycles_counter_look(counter->name, &found) || found.reason)
		return false;
	*c = (struct samples_counter){
		.counter = counter,
		.in_use = found.in_use,
		.rank = SIZE_MAX,
		.scaling = { 1, 1 },
		.rate = { (uint64_t)found.hz, (uint32_t)found.hz_ppm },
	};
	set_ranked(run, c);
	return !cpucycles_counter_ready(counter->name, &c->read);
}

size_t samples_counters(const struct samples_run *run,
			struct samples_counter counters[COUNTERS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < counters_count; i++)
		n += make_ready(run, counters_list[i], &counters[n]);
	return n;
}

bool samples_is_lost(const struct samples_counter *c)
{
	if (cpucycles_counter_lost(c->counter->name) != 1)
		return false;
	samples_comment("lost", c->counter->name);
	return true;
}

bool samples_has_rate(const struct samples_counter *c)
{
	return (c->counter->class == COUNTER_OFF_CORE || c->counter->class == COUNTER_OS_CLOCK) &&
	       c->rate.hz;
}

void samples_comment(const char *key, const char *value)
{
	printf("# %s\t%s\n", key, value);
}

void samples_comment_number(const char *key, uint64_t value)
{
	if (value)
		printf("# %s\t%" PRIu64 "\n", key, value);
	else
		samples_comment(key, "unknown");
}

void samples_begin(struct samples_run *run)
{
	run->budget_ns = (uint64_t)run->seconds * NS_PER_S;
	run->begun_ns = raw_clock_ns();
	run->progress = (struct progress){ .begun_ns = run->begun_ns };
}

uint64_t samples_elapsed_ns(const struct samples_run *run)
{
	return raw_clock_ns() - run->begun_ns;
}

/* On a terminal that shows the rows, they are the progress. */
static void show_progress(struct samples_run *run)
{
	const uint64_t now = raw_clock_ns();
	char text[PROGRESS_COLUMNS + 1];

	if (isatty(STDOUT_FILENO) || !progress_is_due(&run->progress, now))
		return;
	snprintf(text, sizeof text, "cpucycles-info: %.1f s of %u s: samples of %s",
		 (double)(now - run->begun_ns) * 1e-9, run->seconds, run->kind);
	progress_line(&run->progress, now, text);
}

bool samples_hand_out(struct samples_run *run)
{
	fflush(stdout);
	if (ferror(stdout))
		return false;
	show_progress(run);
	return true;
}

void samples_sleep_until(const struct samples_run *run, uint64_t elapsed_ns)
{
	const uint64_t now = samples_elapsed_ns(run);
	struct timespec pause;

	if (now >= elapsed_ns)
		return;
	pause.tv_sec = (time_t)((elapsed_ns - now) / NS_PER_S);
	pause.tv_nsec = (long)((elapsed_ns - now) % NS_PER_S);
	nanosleep(&pause, NULL);
}

void samples_stay_here(void)
{
	affinity_save();
	affinity_pin_here();
}
