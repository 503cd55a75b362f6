/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Sentences on counters: why one is unusable, which one could be had, and what somebody asked for
 * in vain. */

#include "config.h"

#include "complain.h"
#include "environment.h"
#include "explain.h"
#include "obstacle.h"

#include <stdio.h>
#include <string.h>

void explain_reason(const struct candidate *c, const struct knobs *knobs, char text[EXPLAIN_TEXT])
{
	static const char *const hints[] = {
		[OBSTACLE_NONE] = "",
		[OBSTACLE_SETTING] = "; root may open it to users: see cpucycles-open --dry-run",
		[OBSTACLE_FILTER] =
			("; perf_event_paranoid is open, so a filter of system calls or a"
			 " security module refuses it: see cpucycles-sandbox(7)"),
		[OBSTACLE_NO_CALL] =
			"; a filter of system calls refuses it: see cpucycles-sandbox(7)",
		[OBSTACLE_ABSENT] = "; " EXPLAIN_ABSENT,
		[OBSTACLE_MEMORY] = "; " EXPLAIN_MEMORY,
		[OBSTACLE_INSTRUCTION] =
			("; this CPU does not have the instruction, or the kernel or a"
			 " virtual machine's host keeps it from programs"),
	};
	static const char *const words[] = {
		[REASON_NONE] = "works",
		[REASON_ERRNO] = "a call failed: ",
		[REASON_SIGNAL] = "it faulted: ",
		[REASON_CLOSED] = "the kernel keeps the register from user space",
		[REASON_ABSENT] = "this CPU does not have it",
		[REASON_SCALING] = "its rate does not divide the CPU's",
		[REASON_DECREASED] = "it ran backwards in every try",
		[REASON_STILL] = "it did not move in any try",
		[REASON_PRUNED] = "it could not have won and was not tried",
		[REASON_LAST_RESORT] = "it works, but counts nothing",
	};
	const char *what = words[c->reason], *detail = "";

	if (c->reason == REASON_CLOSED && c->detail)
		what = "the page of its perf event cannot be mapped: ";
	if (c->reason == REASON_ERRNO || (c->reason == REASON_CLOSED && c->detail))
		detail = strerror(c->detail);
	if (c->reason == REASON_SIGNAL)
		detail = strsignal(c->detail);
	snprintf(text, EXPLAIN_TEXT, "%s%s%s", what, detail ? detail : "unknown",
		 hints[obstacle_of(c, knobs)]);
}

void explain_contradiction(const struct inspection *in, char text[EXPLAIN_TEXT])
{
	const cache_fact_word *facts = in->cache.facts;

	text[0] = 0;
	if (!inspect_in_use(in) || strcmp(facts[FACT_CHECK], "contradicts"))
		return;
	snprintf(text, EXPLAIN_TEXT,
		 "%s counted %s core cycles per second, while a chain of one-cycle instructions"
		 " took %s: one of the two is wrong, so the bound of the core reaches to both; to"
		 " measure again, calibrate with --force",
		 facts[FACT_WITNESS], facts[FACT_COUNTED], facts[FACT_CHAIN]);
}

bool explain_core_cycles(const struct inspection *in, char text[EXPLAIN_TEXT])
{
	size_t rank;
	const struct candidate *c = inspect_core_counter(in, &rank);

	if (!c)
		return false;
	snprintf(text, EXPLAIN_TEXT,
		 "%s counts %score cycles and ranks %zu: to take it, run: "
		 "export CPUCYCLES_COUNTER=%s",
		 c->counter->name,
		 c->counter->class == COUNTER_KERNEL_COUNT ? "this thread's " : "", rank,
		 counter_class_name(c->counter->class));
	return true;
}

bool explain_core_in_use(const struct inspection *in, char text[EXPLAIN_TEXT])
{
	const size_t i = counters_find(in->implementation);

	if (i == counters_count || !counter_counts_core(counters_list[i]->class))
		return false;
	snprintf(text, EXPLAIN_TEXT,
		 "%s counts those of %s; cpucycles_nanoseconds() takes about %.0f of them for a"
		 " second",
		 in->implementation,
		 counters_list[i]->own_thread ? "this thread alone" :
						"the CPU, whichever program runs there",
		 in->second);
	return true;
}

void explain_ignored(const struct inspection *in, struct ignored *ignored)
{
	complain_of_file(in->context.persecond_path, &in->persecond_file, in->persecond_text,
			 ignored->file);
	complain_of_counter(environment_get(ENVIRONMENT_COUNTER), ignored->counter);
	complain_of_persecond(environment_get(ENVIRONMENT_PERSECOND), ignored->persecond);
}
