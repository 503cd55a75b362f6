/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Ping-pong through shared memory. The other player is a process, because a process that faults or
 * hangs can be killed, unlike a thread. */

#include "config.h"

#include "affinity.h"
#include "raw-clock.h"
#include "skew.h"

#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* A waiting loop looks at the clock each time after this many turns. */
#define LOOK_AT_CLOCK 1000

/* Rounds between two looks at the clock, where the time ends them and not their number. */
#define LOOK_ROUNDS 100
#define ROUNDS_UNLIMITED (UINT32_MAX - 1)

/* How long the other player may take to get to its CPU. */
#define START_NS 30000000u

/* With fewer rounds the skew is unknown. */
#define ROUNDS_MIN 10

/* What the two players share. Each player writes to a cache line of its own. The words have 32
 * bits, because for longer ones a 32-bit CPU may need locks of libatomic, which each process has
 * for itself. */
struct table {
	_Alignas(128) _Atomic uint32_t ping; /* number of the round, from 1 */
	_Alignas(128) _Atomic uint32_t pong; /* the same, when the other player has answered */
	_Atomic uint32_t ready;              /* 1: the other player is on its CPU */
	uint64_t there;                      /* its count, read between ping and pong */
};

static struct {
	const struct skew_source *source;
	struct table *table;
	uint64_t budget_ns; /* of a pair */
	uint64_t deadline;  /* raw clock, ns */
	uint32_t rounds_max;
	struct skew_pair pair;
} work;

void skew_narrow(struct skew_bounds *bounds, uint64_t before, uint64_t there, uint64_t after)
{
	int64_t low = (int64_t)(there - after), high = (int64_t)(there - before);

	if (low > bounds->low)
		bounds->low = low;
	if (high < bounds->high)
		bounds->high = high;
}

uint64_t skew_largest(const struct skew_bounds *bounds)
{
	uint64_t low = bounds->low < 0 ? -(uint64_t)bounds->low : (uint64_t)bounds->low;
	uint64_t high = bounds->high < 0 ? -(uint64_t)bounds->high : (uint64_t)bounds->high;

	return low > high ? low : high;
}

/*
 * Wait until the instructions before are done, because a CPU may read a counter's register before
 * them. Sources: Intel SDM volume 2B, RDTSC; Arm ARM, D11.2 on CNTVCT_EL0. On other CPUs there is
 * only the fence.
 */
static inline void settle(void)
{
#if defined(__SANITIZE_THREAD__) /* it does not support atomic_thread_fence */
	atomic_signal_fence(memory_order_seq_cst);
#else
	atomic_thread_fence(memory_order_seq_cst);
#endif
#if defined(__x86_64__)
	__asm__ volatile("lfence" : : : "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" : : : "memory");
#endif
}

static uint64_t read_settled(void)
{
	uint64_t count;

	settle();
	count = (uint64_t)work.source->read();
	settle();
	return count;
}

/* Wait until the word has this value. False: the deadline has passed. */
static bool wait_for(const _Atomic uint32_t *word, uint32_t value)
{
	for (unsigned turn = 1; atomic_load_explicit(word, memory_order_acquire) != value; turn++)
		if (turn % LOOK_AT_CLOCK == 0 && raw_clock_ns() > work.deadline)
			return false;
	return true;
}

/* Whether the time ends the rounds. A look at the clock takes time, so rounds of a fixed number do
 * without. */
static bool is_over(uint32_t round)
{
	return work.rounds_max == ROUNDS_UNLIMITED && round % LOOK_ROUNDS == 0 &&
	       raw_clock_ns() > work.deadline;
}

static void call_play(void *unused)
{
	struct table *table = work.table;

	(void)unused;
	if (!wait_for(&table->ready, 1))
		return;
	work.deadline = raw_clock_ns() + work.budget_ns;
	for (uint32_t round = 1; round <= work.rounds_max && !is_over(round); round++) {
		uint64_t before = read_settled();

		atomic_store_explicit(&table->ping, round, memory_order_release);
		if (!wait_for(&table->pong, round))
			return;
		skew_narrow(&work.pair.bounds, before, table->there, read_settled());
		work.pair.rounds = round;
	}
}

/* What the other player does. */
static void answer(void)
{
	struct table *table = work.table;

	work.deadline += work.budget_ns;
	atomic_store_explicit(&table->ready, 1, memory_order_release);
	for (uint32_t round = 1; round <= work.rounds_max; round++) {
		if (!wait_for(&table->ping, round))
			return;
		table->there = read_settled();
		atomic_store_explicit(&table->pong, round, memory_order_release);
	}
}

/* Play on this CPU, with a child on the other one. */
static bool play(void)
{
	pid_t child;

	memset(work.table, 0, sizeof *work.table);
	if (!affinity_pin(work.pair.here))
		return false;
	child = fork();
	if (child < 0)
		return false;
	if (child == 0) {
		if (affinity_pin(work.pair.there))
			answer();
		_exit(0);
	}
	work.source->guarded(call_play, NULL);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return true;
}

static void call_clock(void *ns)
{
	*(uint64_t *)ns = raw_clock_ns();
}

/* Measure one pair within the budget. */
static bool measure_pair(int here, int there, uint64_t budget_ns)
{
	uint64_t now;

	if (work.source->guarded(call_clock, &now))
		return false;
	work.budget_ns = budget_ns;
	work.deadline = now + START_NS;
	work.pair = (struct skew_pair){ here, there, { INT64_MIN, INT64_MAX }, 0 };
	if (!play() || work.pair.rounds < ROUNDS_MIN)
		return false;
	if (work.source->found)
		work.source->found(&work.pair);
	return true;
}

/* The n-th CPU that the process may use, counted from 0. */
static int allowed_cpu(int n)
{
	for (int cpu = 0; cpu < AFFINITY_CPUS_MAX; cpu++)
		if (affinity_allows(cpu) && n-- == 0)
			return cpu;
	return -1;
}

static bool measure_pairs(int cpus, uint64_t budget_ns, uint64_t *counts)
{
	int pairs = cpus - 1 < SKEW_PAIRS_MAX ? cpus - 1 : SKEW_PAIRS_MAX;
	uint64_t largest;

	for (int i = 1; i <= pairs; i++) {
		if (!measure_pair(allowed_cpu(0), allowed_cpu(i * (cpus - 1) / pairs),
				  budget_ns / (uint64_t)pairs))
			return false;
		largest = skew_largest(&work.pair.bounds);
		if (largest > *counts)
			*counts = largest;
	}
	return pairs > 0;
}

static bool make_table(const struct skew_source *source, uint32_t rounds_max)
{
	work.source = source;
	work.rounds_max = rounds_max;
	work.table = mmap(NULL, sizeof *work.table, PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return work.table != MAP_FAILED;
}

bool skew_measure(const struct skew_source *source, uint64_t budget_ns, uint64_t *counts)
{
	bool known;

	*counts = 0;
	affinity_save();
	if (affinity_count() < 2 || !make_table(source, SKEW_ROUNDS_MAX))
		return false;
	known = measure_pairs(affinity_count(), budget_ns, counts);
	affinity_restore();
	munmap(work.table, sizeof *work.table);
	return known;
}

bool skew_measure_pair(const struct skew_source *source, uint64_t budget_ns, struct skew_pair *pair)
{
	bool known;

	affinity_save();
	if (!make_table(source, ROUNDS_UNLIMITED))
		return false;
	known = measure_pair(pair->here, pair->there, budget_ns);
	if (known)
		*pair = work.pair;
	affinity_restore();
	munmap(work.table, sizeof *work.table);
	return known;
}
