/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* record-core TRUTH TEXT: times batches of the chain on a machine whose core is known to run at
 * TRUTH Hz, and prints them in the form of tests/data/cores: how many batches took these two times.
 * TEXT says which machine that is. */

#include "config.h"

#include "chain.h"
#include "raw-clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* A long batch takes about this long, and a short one has one round. */
#define LONG_NS 50000
#define ROUNDS_MAX (1ul << 20)
#define TRIES 3 /* so many long batches in a row are long enough */

/* Batches of each length, in turns. The first are not printed: their code is not in the cache, or
 * an emulator translates it. */
#define BATCHES 300
#define WARM_UP 20

struct batch {
	uint64_t short_ns, long_ns;
};

static struct batch batches[BATCHES];

static int by_times(const void *first, const void *second)
{
	const struct batch *const a = first, *const b = second;

	if (a->short_ns != b->short_ns)
		return a->short_ns < b->short_ns ? -1 : 1;
	return (a->long_ns > b->long_ns) - (a->long_ns < b->long_ns);
}

static void print_batches(void)
{
	int same;

	qsort(batches, BATCHES, sizeof batches[0], by_times);
	for (int i = 0; i < BATCHES; i += same) {
		same = 1;
		while (i + same < BATCHES && !by_times(&batches[i], &batches[i + same]))
			same++;
		printf("%d\t%" PRIu64 "\t%" PRIu64 "\n", same, batches[i].short_ns,
		       batches[i].long_ns);
	}
}

static uint64_t time_of(unsigned long rounds)
{
	uint64_t start = raw_clock_ns();

	chain_run(rounds);
	return raw_clock_ns() - start;
}

static unsigned long long_rounds(void)
{
	unsigned long rounds = 1;
	int tries = 0;

	while (tries < TRIES && rounds < ROUNDS_MAX) {
		if (time_of(rounds) >= LONG_NS) {
			tries++;
		} else {
			tries = 0;
			rounds *= 2;
		}
	}
	return rounds > 1 ? rounds : 2;
}

int main(int argc, char *argv[])
{
	uint64_t truth = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
	unsigned long rounds;

	if (truth == 0) {
		fprintf(stderr, "usage: record-core TRUTH TEXT\n");
		return 2;
	}
	rounds = long_rounds();
	for (int i = -WARM_UP; i < BATCHES; i++)
		batches[i < 0 ? 0 : i] = (struct batch){ time_of(1), time_of(rounds) };
	printf("# SPDX-FileCopyrightText: The cpucycles developers\n"
	       "# SPDX-License-"
	       "Identifier: 0BSD\n");
	printf("# %s, recorded by tests/calibrated/record-core\n", argv[2]);
	printf("truth %" PRIu64 " clock_step %" PRIu64 " round_cycles %d rounds 1 %lu\n", truth,
	       raw_clock_step(), CHAIN_ROUND_CYCLES, rounds);
	print_batches();
	return fflush(stdout) ? 1 : 0;
}
