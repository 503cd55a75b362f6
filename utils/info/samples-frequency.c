/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A core runs chains of instructions that take one cycle each. A row tells the frequency of 10 ms,
 * by a counter of the core's cycles, or else by the length of the chains. */

#include "config.h"

#include "affinity.h"
#include "chain.h"
#include "cpucycles.h"
#include "kinds.h"
#include "raw-clock.h"
#include "samples-figures.h"
#include "samples-run.h"

#include <stdio.h>

#define ROW_NS 10000000u
#define ROWS_PER_FLUSH 10

/* A long chain takes at least this time, and up to twice as much. Most chains are then shorter than
 * the time between two interrupts, so their median is free of these. */
#define CHAIN_NS 100000u
#define CHAINS_MAX (ROW_NS / CHAIN_NS)

/* With fewer chains in a row, other processes had the CPU for most of the 10 ms. Then the median
 * may be that of interrupted chains. */
#define CHAINS_MIN 10

/* A chain is long LENGTH_TRIES times in a row before its length counts as found: an interrupted one
 * is not. */
#define LENGTH_TRIES 3
#define ROUNDS_MAX (1ul << 20)

struct frequency {
	struct samples_run *run;
	struct samples_counter counters[COUNTERS_MAX];
	size_t n;
	const struct samples_counter *witness; /* NULL: the chain alone */
	const struct samples_counter *in_use;  /* NULL: the last resort, which counts nothing */
	unsigned long rounds;                  /* of a long chain */
	int cpu;                               /* -1: the process may not stay on one */
	const char *kind;
};

/* The witness is a counter of the core's cycles. One that a register holds comes before one that
 * takes a system call. */
static void choose_counters(struct frequency *f)
{
	static const enum counter_class classes[] = { COUNTER_ON_CORE, COUNTER_KERNEL_COUNT };

	f->n = samples_counters(f->run, f->counters);
	for (size_t i = 0; i < f->n; i++)
		if (f->counters[i].in_use)
			f->in_use = &f->counters[i];
	for (size_t j = 0; j < sizeof classes / sizeof classes[0]; j++)
		for (size_t i = 0; i < f->n && !f->witness; i++)
			if (f->counters[i].counter->class == classes[j])
				f->witness = &f->counters[i];
	samples_comment("witness", f->witness ? f->witness->counter->name : "none");
}

static long long no_count(void)
{
	return 0;
}

static struct reading read_with_clock(long long (*read)(void))
{
	const int64_t count = read();

	return (struct reading){ count, raw_clock_ns() };
}

/* What one chain took: the counts and the ns of it. */
static struct reading time_chain(unsigned long rounds, long long (*read)(void))
{
	const struct reading begun = read_with_clock(read);
	struct reading ended;

	chain_run(rounds);
	ended = read_with_clock(read);
	return (struct reading){ (int64_t)((uint64_t)ended.count - (uint64_t)begun.count),
				 ended.ns - begun.ns };
}

static bool is_long(unsigned long rounds)
{
	for (int i = 0; i < LENGTH_TRIES; i++)
		if (time_chain(rounds, no_count).ns < CHAIN_NS)
			return false;
	return true;
}

/* The frequency by a short and a long chain. Both take the time of reading clock and counter, so
 * their difference is free of it. False: something disturbed the short one more. */
static bool time_core(const struct frequency *f, double *hz)
{
	long long (*const read)(void) = f->witness ? f->witness->read : no_count;
	struct reading brief = time_chain(1, read), whole = time_chain(f->rounds, read);

	if (!f->witness) {
		brief.count = CHAIN_ROUND_CYCLES;
		whole.count = (int64_t)(f->rounds * CHAIN_ROUND_CYCLES);
	}
	return samples_hz(brief, whole, hz);
}

/* Keep the core busy until that time, and take the median of what its chains tell. 0: unknown. */
static double measure_core(const struct frequency *f, uint64_t until_ns)
{
	double hz[CHAINS_MAX];
	size_t n = 0;

	do {
		n += time_core(f, &hz[n]);
	} while (n < CHAINS_MAX && samples_elapsed_ns(f->run) < until_ns);
	while (samples_elapsed_ns(f->run) < until_ns)
		chain_run(1);
	/* What the compiler makes of a chain in C tells a lower bound only. */
	if (n < CHAINS_MIN || (!f->witness && chain_is_portable()))
		return 0;
	return samples_median(hz, n);
}

static void print_hz(double hz)
{
	if (hz > 0)
		printf("\t%.0f", hz);
	else
		printf("\tunknown");
}

/* The counts of the row are void if the counter was lost meanwhile. */
static double rate_of_counter(struct frequency *f, struct reading begun, struct reading ended)
{
	double hz = 0;

	if (f->in_use && samples_is_lost(f->in_use))
		f->in_use = NULL;
	return f->in_use && samples_hz(begun, ended, &hz) ? hz : 0;
}

static void measure_row(struct frequency *f, uint64_t begun_ns, uint64_t until_ns)
{
	const struct reading begun = read_with_clock(cpucycles);
	double core = measure_core(f, until_ns), counter;
	const struct reading ended = read_with_clock(cpucycles);

	counter = rate_of_counter(f, begun, ended);
	if (f->witness && samples_is_lost(f->witness)) {
		core = 0;
		f->witness = NULL;
		samples_comment("witness", "none");
	}
	printf("%s\t", f->kind);
	if (f->cpu >= 0)
		printf("%d", f->cpu);
	else
		printf("unknown");
	printf("\t%.6f", (double)(ended.ns - f->run->begun_ns - begun_ns) * 1e-9);
	print_hz(core);
	print_hz(counter);
	printf("\n");
}

/* How long a row takes that begins so long after the first one: to the end of these 10 ms, or of
 * the next, if a row that ended late has left almost nothing of them. */
static uint64_t row_ns(uint64_t since_ns)
{
	const uint64_t left = ROW_NS - since_ns % ROW_NS;

	return left < ROW_NS / 10 ? left + ROW_NS : left;
}

/* One kind of core, from now on until that time. A row that took too long, because other processes
 * had the CPU, does not shorten the next one. */
static bool measure_kind(struct frequency *f, uint64_t until_ns)
{
	const uint64_t begun_ns = samples_elapsed_ns(f->run);
	uint64_t now = begun_ns;

	for (unsigned row = 1; now < until_ns; row++) {
		measure_row(f, begun_ns, now + row_ns(now - begun_ns));
		if (row % ROWS_PER_FLUSH == 0 && !samples_hand_out(f->run))
			return false;
		now = samples_elapsed_ns(f->run);
	}
	return samples_hand_out(f->run);
}

/* Go to a CPU of this kind. Where there is one kind, any CPU will do. */
static bool go_to(struct frequency *f, const struct core_kind *kind)
{
	const int cpu = kind->cpu >= 0 ? kind->cpu : affinity_here();
	const bool stays = affinity_pin(cpu);

	f->cpu = stays ? cpu : -1;
	f->kind = kind->name;
	if (!stays && kind->cpu >= 0)
		samples_comment("not_measured", kind->name);
	return stays || kind->cpu < 0;
}

bool samples_frequency(struct samples_run *run)
{
	struct frequency f = { .run = run, .rounds = 2 };
	struct core_kind kinds[CORE_KINDS_MAX];
	const size_t n = core_kinds("", kinds);

	choose_counters(&f);
	samples_comment_number("persecond_hz", (uint64_t)run->inspection->persecond.hz);
	samples_comment_number("rate_hz", (uint64_t)run->inspection->rate.hz);
	printf("kind\tcpu\tseconds\tcore_hz\tcounter_hz\n");
	while (f.rounds < ROUNDS_MAX && !is_long(f.rounds))
		f.rounds *= 2;
	samples_begin(run);
	for (size_t i = 0; i < n; i++)
		if (go_to(&f, &kinds[i]) && !measure_kind(&f, run->budget_ns / n * (i + 1)))
			return false;
	return true;
}
