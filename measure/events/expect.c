/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "expect.h"
#include "chain.h"

#include <stddef.h>
#include <string.h>

/* The chain's instructions take one cycle each. The loop around them, and the reading of the
 * counts, come on top. */
#define CHAIN_N ((double)KNOWN_CHAIN_ROUNDS * CHAIN_ROUND_CYCLES)
#define LOOP_N ((double)KNOWN_CHAIN_ROUNDS * 8)
#define READING 3000

/* Two modes count the same if they differ by no more than this part. */
#define SAME_PART 0.9

/* What is known of an event: in user mode, or whatever the mode. */
static const struct known_event {
	enum event_source source;
	uint64_t number;
	const char *name; /* that PMUs have for it in sysfs */
	bool in_kernel;   /* it happens in the kernel, and not in user mode */
	enum known_work work;
	enum expect_unit unit;
	double least, most;
} known_events[] = {
	/* A core may fuse no two of these instructions, and its clock may be a little off. */
	{ EVENT_HARDWARE, 0, "cpu-cycles", false, KNOWN_CHAIN, EXPECT_TIMES, CHAIN_N * 0.9,
	  CHAIN_N * 1.2 + READING },
	{ EVENT_HARDWARE, 1, "instructions", false, KNOWN_CHAIN, EXPECT_TIMES, CHAIN_N,
	  CHAIN_N + LOOP_N + READING },
	/* The loop's own jump, and what a compiler may add to it. */
	{ EVENT_HARDWARE, 4, "branch-instructions", false, KNOWN_BRANCHES, EXPECT_TIMES,
	  KNOWN_BRANCHES_N, KNOWN_BRANCHES_N * 2.0 + READING },
	/* Half of the guesses are wrong; some bits may be learnt. */
	{ EVENT_HARDWARE, 5, "branch-misses", false, KNOWN_GUESSES, EXPECT_TIMES,
	  KNOWN_BRANCHES_N / 8.0, KNOWN_BRANCHES_N * 1.5 },
	/* L1-dcache-loads and -stores. Without optimization, a loop's variables are memory too. */
	{ EVENT_CACHE, 0, "L1-dcache-loads", false, KNOWN_MEMORY, EXPECT_TIMES, KNOWN_MEMORY_N,
	  KNOWN_MEMORY_N * 8.0 + READING },
	{ EVENT_CACHE, 1 << 8, "L1-dcache-stores", false, KNOWN_MEMORY, EXPECT_TIMES,
	  KNOWN_MEMORY_N, KNOWN_MEMORY_N * 8.0 + READING },
	/* These count while they are read, too. */
	{ EVENT_SOFTWARE, 0, "cpu-clock", false, KNOWN_CHAIN, EXPECT_NS, 0.5, 4 },
	{ EVENT_SOFTWARE, 1, "task-clock", false, KNOWN_CHAIN, EXPECT_NS, 0.5, 4 },
	/* The stack may grow by a page meanwhile. */
	{ EVENT_SOFTWARE, 2, "page-faults", false, KNOWN_PAGES, EXPECT_TIMES, KNOWN_PAGES_N,
	  KNOWN_PAGES_N + 8 },
	{ EVENT_SOFTWARE, 5, "minor-faults", false, KNOWN_PAGES, EXPECT_TIMES, KNOWN_PAGES_N,
	  KNOWN_PAGES_N + 8 },
	/* Others may want the CPU as well. */
	{ EVENT_SOFTWARE, 3, "context-switches", true, KNOWN_SLEEPS, EXPECT_TIMES, KNOWN_SLEEPS_N,
	  KNOWN_SLEEPS_N + 1000 },
};

static bool is_tsc(const struct event_ask *ask)
{
	return ask->source == EVENT_PMU && !strcmp(ask->pmu, "msr") && !strcmp(ask->terms, "tsc");
}

/* The kernel names a PMU's events as it names the generic ones. */
static bool is_it(const struct event_ask *ask, const struct known_event *e)
{
	if (ask->source == EVENT_PMU)
		return !strcmp(ask->terms, e->name);
	return ask->source == e->source && ask->number == e->number;
}

bool expect_event(const struct event_ask *ask, bool user, bool kernel, bool portable,
		  struct expectation *expectation)
{
	if (is_tsc(ask)) {
		*expectation = (struct expectation){ KNOWN_CHAIN, EXPECT_TSC, 0.9, 4 };
		return true;
	}
	for (size_t i = 0; i < sizeof known_events / sizeof known_events[0]; i++) {
		const struct known_event *const e = &known_events[i];

		if (!is_it(ask, e))
			continue;
		*expectation = (struct expectation){ e->work, e->unit, e->least, e->most };
		/* What the kernel does for the works of user mode is unknown, and a compiler's
		 * chain is as long as the compiler makes it. */
		if (!e->in_kernel && !user)
			return false;
		if (portable && e->work == KNOWN_CHAIN && e->unit == EXPECT_TIMES)
			return false;
		/* Interrupts come on top of both modes together. */
		if (kernel && ask->source != EVENT_SOFTWARE)
			expectation->most = expectation->most * 4 + READING * 10;
		return true;
	}
	return false;
}

bool expect_ignores_modes(double user, double kernel, double both)
{
	return both > 0 && user >= SAME_PART * both && kernel >= SAME_PART * both;
}
