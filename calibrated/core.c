/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "chain.h"
#include "core.h"
#include "decimal.h"
#include "file.h"
#include "guard.h"
#include "log.h"
#include "probe.h"
#include "raw-clock.h"
#include "regress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The capacity of CPUs with higher numbers is not looked at. */
#define CAPACITY_CPUS_MAX 256

/* Also the largest bound, which says nothing: the portable chain has it. */
#define PPM 1000000

#define CHAIN_LOOP_PPM (CHAIN_LOOP_CYCLES * PPM / CHAIN_ROUND_CYCLES)

/* If a count of cycles and the chain differ by more, a line warns. */
#define COUNTED_PPM 50000

static bool add_kind(struct core_kind kinds[], size_t *n, const char *name, int cpu)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(kinds[i].name, name))
			return true;
	if (*n == CORE_KINDS_MAX)
		return false;
	snprintf(kinds[*n].name, sizeof kinds[*n].name, "%s", name);
	kinds[*n].cpu = cpu;
	kinds[*n].rate = (struct rate){ 0 };
	++*n;
	return true;
}

/* One kind for each value of cpu_capacity. */
static void kinds_by_capacity(const char *root, struct core_kind kinds[], size_t *n)
{
	char path[512], text[32], name[64];
	uint64_t capacity;

	for (int cpu = 0; cpu < CAPACITY_CPUS_MAX; cpu++) {
		snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cpu_capacity", root,
			 cpu);
		if (file_read(path, text, sizeof text) <= 0 || !decimal_whole(text, 0, &capacity)) {
			if (cpu == 0)
				return; /* the kernel tells it of all CPUs or of none */
			continue;
		}
		snprintf(name, sizeof name, "capacity %" PRIu64, capacity);
		if (affinity_allows(cpu) && !add_kind(kinds, n, name, cpu))
			return;
	}
}

/* The first CPU of a list such as "0-3,8" that may be used; -1 if none. */
static int first_of_list(const char *list)
{
	int from, to, length;

	while (sscanf(list, "%d%n", &from, &length) == 1) {
		list += length;
		to = from;
		if (*list == '-' && sscanf(list + 1, "%d%n", &to, &length) == 1)
			list += 1 + length;
		for (int cpu = from; cpu <= to && cpu < AFFINITY_CPUS_MAX; cpu++)
			if (affinity_allows(cpu))
				return cpu;
		if (*list++ != ',')
			break;
	}
	return -1;
}

static void kinds_by_list(const char *root, struct core_kind kinds[], size_t *n)
{
	static const char *const names[] = { "cpu_core", "cpu_atom" };
	char path[512], list[4096];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		int cpu;

		snprintf(path, sizeof path, "%s/sys/devices/%s/cpus", root, names[i]);
		if (file_read(path, list, sizeof list) <= 0)
			continue;
		cpu = first_of_list(list);
		if (cpu >= 0)
			add_kind(kinds, n, names[i], cpu);
	}
}

size_t core_kinds(const char *root, struct core_kind kinds[CORE_KINDS_MAX])
{
	size_t n = 0;

	affinity_save();
	kinds_by_capacity(root, kinds, &n);
	if (n == 0)
		kinds_by_list(root, kinds, &n);
	if (n == 0)
		add_kind(kinds, &n, "any", -1);
	return n;
}

/* One kind is measured at a time. */
static struct chain_batches batches;

static uint64_t batch_cycles(void)
{
	return (uint64_t)batches.rounds * CHAIN_ROUND_CYCLES;
}

static void call_time(void *budget_ns)
{
	chain_time(*(const uint64_t *)budget_ns, &batches);
}

/* The bound of a frequency whose times spread by this much. */
static uint32_t chain_ppm(uint32_t spread)
{
	if (chain_is_portable() || spread > PPM - CHAIN_LOOP_PPM)
		return PPM;
	return spread + CHAIN_LOOP_PPM;
}

static void measure_kind(struct core_kind *kind, uint64_t budget_ns)
{
	if (kind->cpu >= 0 ? !affinity_pin(kind->cpu) : !affinity_pin_here())
		log_line(LOG_DEBUG, "core: %s: not kept on one CPU", kind->name);
	if (guard_call(call_time, &budget_ns))
		batches.n = 0;
	affinity_restore();
	kind->rate = regress_best(batches.ns, batches.n, batch_cycles(), batches.clock_step);
	if (kind->rate.hz == 0) {
		log_line(LOG_WARNING,
			 "core: kind %s: unknown: the clock cannot be read, or no"
			 " batches agree",
			 kind->name);
		return;
	}
	kind->rate.ppm = chain_ppm(kind->rate.ppm);
	log_line(LOG_INFO, "core: kind %s: %" PRIu64 " Hz%s, within %" PRIu32 " ppm (%zu batches)",
		 kind->name, kind->rate.hz, chain_is_portable() ? " at least" : "", kind->rate.ppm,
		 batches.n);
}

struct rate core_measure(struct core_kind kinds[], size_t n, uint64_t budget_ns)
{
	struct rate fastest = { 0 };

	for (size_t i = 0; i < n; i++) {
		measure_kind(&kinds[i], budget_ns / n);
		if (kinds[i].rate.hz > fastest.hz)
			fastest = kinds[i].rate;
	}
	return fastest;
}

/* One batch of the chain, counted by a counter of cycles. */
static struct {
	const struct counter *counter;
	uint64_t cycles, ns;
} counted;

static void call_count(void *unused)
{
	uint64_t start = raw_clock_ns();
	long long before = counted.counter->read();

	(void)unused;
	chain_run(batches.rounds);
	counted.cycles = (uint64_t)(counted.counter->read() - before);
	counted.ns = raw_clock_ns() - start;
}

static void compare_with(const struct counter *counter, uint64_t persecond)
{
	struct candidate now;
	uint64_t chain = batch_cycles(), off;

	if (!probe_briefly(counter, persecond, 0, &now))
		return;
	counted.counter = counter;
	if (guard_call(call_count, NULL) || counted.cycles == 0 || counted.ns == 0) {
		log_line(LOG_INFO, "core: %s counts no cycles to compare with", counter->name);
	} else {
		off = counted.cycles > chain ? counted.cycles - chain : chain - counted.cycles;
		log_line(off > chain / PPM * COUNTED_PPM ? LOG_WARNING : LOG_INFO,
			 "core: %s counts %" PRIu64 " cycles where the chain should take %" PRIu64
			 ": %.0f Hz by it",
			 counter->name, counted.cycles, chain,
			 (double)counted.cycles * 1e9 / (double)counted.ns);
	}
	probe_teardown(counter);
}

static bool counts_cycles(const struct counter *counter)
{
	return counter->class == COUNTER_ON_CORE || counter->class == COUNTER_KERNEL_COUNT;
}

void core_compare(const struct candidate candidates[], size_t n, uint64_t persecond,
		  struct rate core)
{
	for (size_t i = 0; core.hz && i < n; i++) {
		if (candidates[i].reason == REASON_NONE && counts_cycles(candidates[i].counter)) {
			compare_with(candidates[i].counter, persecond);
			return;
		}
	}
}
