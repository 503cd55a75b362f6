/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "gaps.h"
#include "raw-clock.h"

#include <string.h>

/* Below this, a gap is the clock's own work. Slow clocks, such as those read by a system call, get
 * this many of their steps. */
#define GAP_NS 500
#define GAP_STEPS 8

static void count_gap(struct gaps_rest *rest, uint64_t ns)
{
	rest->number++;
	rest->ns += ns;
}

/* A gap that is too long for an interrupt: did the thread wait for the CPU meanwhile? Without an
 * account, a switch says that it did. Returns the time that it did not wait. Time in which it did
 * not want to run is taken off the gap. */
static uint64_t judge_long(struct own *own, uint64_t *ns, struct gaps *gaps)
{
	struct own_rise rise = own_read(own);
	uint64_t rest;

	if (!rise.known && rise.involuntary)
		rise.waited = *ns;
	own_add(&gaps->own, &rise);
	if (rise.waited >= *ns)
		return 0;
	if (rise.voluntary) {
		*ns = rise.waited;
		return 0;
	}
	rest = *ns - rise.waited;
	if (rest > GAPS_SOFTIRQ_MAX)
		count_gap(&gaps->uncounted, rest);
	else if (rest > GAPS_INTERRUPT_MAX)
		count_gap(&gaps->middle, rest);
	else
		count_gap(&gaps->switching, rest);
	return rest;
}

static void keep(struct gaps *gaps, uint64_t begin, uint64_t ns)
{
	if (ns == 0)
		return;
	gaps->number++;
	gaps->lost += ns;
	if (ns > gaps->longest)
		gaps->longest = ns;
	if (gaps->kept < GAPS_KEPT)
		gaps->list[gaps->kept++] = (struct gap){ begin, ns };
}

static uint64_t least_gap(void)
{
	const uint64_t step = raw_clock_step();

	return step < GAP_NS / GAP_STEPS ? GAP_NS : step * GAP_STEPS;
}

void gaps_look(struct own *own, uint64_t end, struct gaps *gaps)
{
	const uint64_t least = least_gap();
	struct own_rise rise = own_read(own);
	int cpu = affinity_here();
	uint64_t begin = raw_clock_ns(), last = begin, now, ns, rest;

	for (; last < end; last = now) {
		now = raw_clock_ns();
		ns = rest = now - last;
		if (ns < least)
			continue;
		if (ns > GAPS_INTERRUPT_MAX) {
			rest = judge_long(own, &ns, gaps);
			gaps->ns += last - begin + ns;
			begin = now = raw_clock_ns();
		}
		keep(gaps, last, ns);
		if (affinity_here() != cpu) {
			cpu = affinity_here();
			count_gap(&gaps->moved, rest);
		}
	}
	gaps->ns += last - begin;
	rise = own_read(own);
	own_add(&gaps->own, &rise);
}

bool gaps_brief(uint64_t ns, double *lost, double *waited)
{
	static struct gaps gaps;
	struct own own;

	if (raw_clock_is_forbidden())
		return false;
	memset(&gaps, 0, sizeof gaps);
	own_open(&own, "");
	gaps_look(&own, raw_clock_ns() + ns, &gaps);
	own_close(&own);
	if (gaps.ns == 0)
		return false;
	*lost = (double)gaps.lost / (double)gaps.ns;
	*waited = (double)gaps.own.waited / (double)gaps.ns;
	return true;
}
