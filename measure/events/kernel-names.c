/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The names of the kernel's own events. Sources: perf_event_open(2) for their numbers, and for
 * those of events on caches; perf-list(1) for the names. */

#include "config.h"

#include "name.h"

#include <stdio.h>
#include <string.h>

#define N(array) (sizeof(array) / sizeof(array)[0])

static const struct {
	const char *name, *alias, *what;
	enum event_source source;
	unsigned number;
} kernel_events[] = {
	{ "cpu-cycles", "cycles", "cycles of the core at its present frequency", EVENT_HARDWARE,
	  0 },
	{ "instructions", NULL, "instructions that were retired", EVENT_HARDWARE, 1 },
	{ "cache-references", NULL, "accesses to the cache, usually to its last level",
	  EVENT_HARDWARE, 2 },
	{ "cache-misses", NULL, "accesses that missed the cache, usually its last level",
	  EVENT_HARDWARE, 3 },
	{ "branches", "branch-instructions", "branches that were retired", EVENT_HARDWARE, 4 },
	{ "branch-misses", NULL, "branches that were predicted wrongly", EVENT_HARDWARE, 5 },
	{ "bus-cycles", NULL, "cycles of a bus, which has a frequency of its own", EVENT_HARDWARE,
	  6 },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", "cycles without a new instruction",
	  EVENT_HARDWARE, 7 },
	{ "stalled-cycles-backend", "idle-cycles-backend", "cycles without a result",
	  EVENT_HARDWARE, 8 },
	{ "ref-cycles", NULL, "cycles of a fixed frequency while the core runs", EVENT_HARDWARE,
	  9 },
	{ "cpu-clock", NULL, "ns by a clock of the CPU", EVENT_SOFTWARE, 0 },
	{ "task-clock", NULL, "ns that the thread has run", EVENT_SOFTWARE, 1 },
	{ "page-faults", "faults", "page faults", EVENT_SOFTWARE, 2 },
	{ "context-switches", "cs", "switches to another thread", EVENT_SOFTWARE, 3 },
	{ "cpu-migrations", "migrations", "moves of the thread to another CPU", EVENT_SOFTWARE, 4 },
	{ "minor-faults", NULL, "page faults without reading from a disk", EVENT_SOFTWARE, 5 },
	{ "major-faults", NULL, "page faults that read from a disk", EVENT_SOFTWARE, 6 },
	{ "alignment-faults", NULL, "unaligned accesses that the kernel had to make",
	  EVENT_SOFTWARE, 7 },
	{ "emulation-faults", NULL, "instructions that the kernel had to emulate", EVENT_SOFTWARE,
	  8 },
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
	*name = (struct event_name){
		.source = kernel_events[i].source,
		.number = kernel_events[i].number,
	};
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
