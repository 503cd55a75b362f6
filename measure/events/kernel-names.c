/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The names of the kernel's own events. Sources: perf_event_open(2) for their numbers, also of
 * events on caches; perf-list(1) for the names. */

#include "config.h"

#include "name.h"

#include <stdio.h>
#include <string.h>

#define N(array) (sizeof(array) / sizeof(array)[0])

/* In the order of their numbers: first EVENT_HARDWARE, then EVENT_SOFTWARE. */
#define HARDWARE_EVENTS 10
static const struct {
	const char *name, *alias, *what;
} kernel_events[] = {
	{ "cpu-cycles", "cycles", "cycles of the core at its present frequency" },
	{ "instructions", NULL, "instructions that were retired" },
	{ "cache-references", NULL, "accesses to the cache, usually to its last level" },
	{ "cache-misses", NULL, "accesses that missed the cache, usually its last level" },
	{ "branches", "branch-instructions", "branches that were retired" },
	{ "branch-misses", NULL, "branches that were predicted wrongly" },
	{ "bus-cycles", NULL, "cycles of a bus, which has a frequency of its own" },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", "cycles without a new instruction" },
	{ "stalled-cycles-backend", "idle-cycles-backend", "cycles without a result" },
	{ "ref-cycles", NULL, "cycles of a fixed frequency while the core runs" },
	{ "cpu-clock", NULL, "ns by a clock of the CPU" },
	{ "task-clock", NULL, "ns that the thread has run" },
	{ "page-faults", "faults", "page faults" },
	{ "context-switches", "cs", "switches to another thread" },
	{ "cpu-migrations", "migrations", "moves of the thread to another CPU" },
	{ "minor-faults", NULL, "page faults without reading from a disk" },
	{ "major-faults", NULL, "page faults that read from a disk" },
	{ "alignment-faults", NULL, "unaligned accesses that the kernel had to make" },
	{ "emulation-faults", NULL, "instructions that the kernel had to emulate" },
};

/* In the order of their numbers. perf has no names for what a cache is not used for. */
static const struct {
	const char *name, *what;
	bool stores, prefetches;
} caches[] = {
	{ "L1-dcache", "first-level data cache", true, true },
	{ "L1-icache", "first-level instruction cache", false, true },
	{ "LLC", "last-level cache", true, true },
	{ "dTLB", "TLB of data", true, true },
	{ "iTLB", "TLB of instructions", false, false },
	{ "branch", "branch predictor", false, false },
	{ "node", "memory of this NUMA node", true, true },
};

/* Number i is operation i / 2 with result i % 2. */
static const struct {
	const char *name, *what;
} uses[] = {
	{ "loads", "loads" },           { "load-misses", "loads that missed" },
	{ "stores", "stores" },         { "store-misses", "stores that missed" },
	{ "prefetches", "prefetches" }, { "prefetch-misses", "prefetches that missed" },
};

static bool has_use(size_t cache, size_t use)
{
	return use < 2 || (use < 4 ? caches[cache].stores : caches[cache].prefetches);
}

static void give_cache_event(size_t cache, size_t use, struct event_name *name)
{
	*name = (struct event_name){
		.source = EVENT_CACHE,
		.number = cache | use / 2 << 8 | use % 2 << 16,
	};
	snprintf(name->name, sizeof name->name, "%s-%s", caches[cache].name, uses[use].name);
	snprintf(name->what, sizeof name->what, "%s: %s", caches[cache].what, uses[use].what);
}

static bool cache_event_at(size_t i, struct event_name *name)
{
	for (size_t cache = 0; cache < N(caches); cache++) {
		for (size_t use = 0; use < N(uses); use++) {
			if (!has_use(cache, use) || i-- > 0)
				continue;
			give_cache_event(cache, use, name);
			return true;
		}
	}
	return false;
}

bool event_name_at(size_t i, struct event_name *name)
{
	const char *alias;

	if (i >= N(kernel_events))
		return cache_event_at(i - N(kernel_events), name);
	alias = kernel_events[i].alias;
	if (i < HARDWARE_EVENTS)
		*name = (struct event_name){ .source = EVENT_HARDWARE, .number = i };
	else
		*name = (struct event_name){ .source = EVENT_SOFTWARE,
					     .number = i - HARDWARE_EVENTS };
	snprintf(name->name, sizeof name->name, "%s", kernel_events[i].name);
	snprintf(name->what, sizeof name->what, "%s%s%s%s", kernel_events[i].what,
		 alias ? " (also: " : "", alias ? alias : "", alias ? ")" : "");
	return true;
}

static bool is_exactly(const char *text, size_t length, const char *word)
{
	return word && strlen(word) == length && !memcmp(text, word, length);
}

bool event_name_find(const char *text, size_t length, struct event_name *name)
{
	for (size_t i = 0; event_name_at(i, name); i++)
		if (is_exactly(text, length, name->name) ||
		    (i < N(kernel_events) && is_exactly(text, length, kernel_events[i].alias)))
			return true;
	return false;
}
