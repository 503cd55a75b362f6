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

/* CPUs whose capacity is looked at. */
#define CAPACITY_CPUS_MAX 256

/* What a batch of the slowest core can need, at a million rounds of a thousand. */
#define ROUNDS_MAX (1ul << 20)

/* Batches that must all be long for the length to do. */
#define LENGTH_TRIES 3

/* The part of a kind's time for waking the core up: governors take milliseconds. */
#define WARM_UP_PART 4

/* As much as a bound can say: the portable chain gives a lower one only. */
#define PPM 1000000

/* A core with one pipe takes up to three cycles more for the loop around a round. */
#define CHAIN_LOOP_PPM (3 * PPM / CHAIN_LENGTH)

/* Comparisons with the PMU that differ by more are worth a warning. */
#define PMU_PPM 50000

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
		snprintf(path, sizeof path, "%s/sys/devices/system/cpu/cpu%d/cpu_capacity", root, cpu);
		if (file_read(path, text, sizeof text) <= 0 || !decimal_whole(text, 0, &capacity)) {
			if (cpu == 0)
				return; /* they come for all CPUs or for none */
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

/* Measuring, one kind at a time. */
static struct {
	uint64_t times[CORE_BATCHES_MAX]; /* ns */
	size_t batches;
	unsigned long rounds; /* of a batch */
	uint64_t clock_step;
	uint64_t budget_ns;
	volatile unsigned long result; /* makes the chain's end needed */
} work;

static uint64_t time_batch(unsigned long rounds)
{
	uint64_t start = raw_clock_ns();

	work.result = chain_run(rounds);
	return raw_clock_ns() - start;
}

/* The best of a few: the first finds cold caches, or an emulator translating. */
static bool is_long_enough(unsigned long rounds)
{
	for (int i = 0; i < LENGTH_TRIES; i++)
		if (time_batch(rounds) < CORE_BATCH_NS)
			return false;
	return true;
}

/* Up to the batch's length, which warms the core up as well; and on, if it needs longer. */
static void warm_up(uint64_t end)
{
	work.rounds = 1;
	while (!is_long_enough(work.rounds) && work.rounds < ROUNDS_MAX)
		work.rounds *= 2;
	while (raw_clock_ns() < end)
		time_batch(work.rounds);
}

static void call_measure(void *unused)
{
	uint64_t start, now;

	(void)unused;
	work.batches = 0;
	work.clock_step = raw_clock_step();
	if (work.clock_step > CORE_BATCH_NS)
		return; /* too coarse to say anything */
	start = now = raw_clock_ns();
	warm_up(start + work.budget_ns / WARM_UP_PART);
	/* A deadline, and enough batches under any load. */
	while (work.batches < CORE_BATCHES_MAX &&
	       (now - start < work.budget_ns || work.batches < CORE_BATCHES_MIN)) {
		work.times[work.batches++] = time_batch(work.rounds);
		now = raw_clock_ns();
	}
}

/* The bound of a frequency whose times spread over so much. */
static uint32_t chain_ppm(uint32_t spread)
{
	if (CHAIN_IS_PORTABLE || spread > PPM - CHAIN_LOOP_PPM)
		return PPM;
	return spread + CHAIN_LOOP_PPM;
}

static void measure_kind(struct core_kind *kind, uint64_t budget_ns)
{
	work.budget_ns = budget_ns;
	if (kind->cpu >= 0 ? !affinity_pin(kind->cpu) : !affinity_pin_here())
		log_line(LOG_DEBUG, "core: %s: not kept on one CPU", kind->name);
	if (guard_call(call_measure, NULL))
		work.batches = 0;
	affinity_restore();
	kind->rate = regress_best(work.times, work.batches, work.rounds * CHAIN_LENGTH, work.clock_step);
	if (kind->rate.hz)
		kind->rate.ppm = chain_ppm(kind->rate.ppm);
	if (kind->rate.hz)
		log_line(LOG_INFO, "core: kind %s: %" PRIu64 " Hz%s, within %" PRIu32 " ppm (%zu batches)",
			 kind->name, kind->rate.hz, CHAIN_IS_PORTABLE ? " at least" : "",
			 kind->rate.ppm, work.batches);
	else
		log_line(LOG_WARNING, "core: kind %s: unknown: the clock cannot be read, or no batches agree", kind->name);
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

/* By the PMU. */
static struct {
	const struct counter *counter;
	uint64_t cycles, ns;
} pmu;

static void call_pmu(void *unused)
{
	uint64_t start = raw_clock_ns();
	long long before = pmu.counter->read();

	(void)unused;
	work.result = chain_run(work.rounds);
	pmu.cycles = (uint64_t)(pmu.counter->read() - before);
	pmu.ns = raw_clock_ns() - start;
}

static void compare_with(const struct counter *counter, uint64_t persecond)
{
	struct candidate now;
	uint64_t chain = (uint64_t)work.rounds * CHAIN_LENGTH, off;

	if (!probe_briefly(counter, persecond, 0, &now))
		return;
	pmu.counter = counter;
	if (guard_call(call_pmu, NULL) || pmu.cycles == 0 || pmu.ns == 0) {
		log_line(LOG_INFO, "core: %s counts no cycles to compare with", counter->name);
	} else {
		off = pmu.cycles > chain ? pmu.cycles - chain : chain - pmu.cycles;
		log_line(off > chain / PPM * PMU_PPM ? LOG_WARNING : LOG_INFO,
			 "core: %s counts %" PRIu64 " cycles where the chain should take %" PRIu64
			 ": %.0f Hz by it", counter->name, pmu.cycles, chain,
			 (double)pmu.cycles * 1e9 / (double)pmu.ns);
	}
	probe_teardown(counter);
}

void core_compare(const struct candidate candidates[], size_t n, uint64_t persecond, struct rate core)
{
	for (size_t i = 0; core.hz && i < n; i++) {
		const struct candidate *c = &candidates[i];

		if (c->reason == REASON_NONE && (c->counter->class == COUNTER_ON_CORE ||
						 c->counter->class == COUNTER_KERNEL_COUNT)) {
			compare_with(c->counter, persecond);
			return;
		}
	}
}
