/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Fenced reads of a counter, and the one place where works are called. */

#ifndef CPUCYCLES_PAIR_H
#define CPUCYCLES_PAIR_H

#include "source.h"

/* A fenced read, in counts. */
int64_t pair_count(const struct source *source);

/* The counts of two reads. */
struct pair {
	int64_t begin, end;
	/* The counter's register belongs to the CPU, and the thread has moved to another CPU
	 * meanwhile, or the register could not be read. So the end is an estimate of the library's,
	 * and holds more than the work. */
	bool moved;
};

/* A pair whose thread has moved is taken PAIR_TRIES times at most, all in all. */
#define PAIR_TRIES 4

/*
 * Call the work batch times between two fenced reads. A batch of 0 calls is an empty pair, and its
 * overhead is what a sample has in addition to the calls.
 *
 * All works are called by the same instruction: the same function through two call sites differed
 * by 0.085 %, which is more than many a comparison is about.
 */
struct pair pair_take(const struct source *source, void (*call)(void *), void *context,
		      unsigned batch);

/* One call of a function that gets an input, for tests of leaks, between two counts. */
struct pair pair_take_input(const struct source *source,
			    void (*call)(const unsigned char *input, void *context),
			    const unsigned char *input, void *context);

/*
 * The pair whose work lies between two reads of a register of the CPU, and these between two counts
 * of the thread. The difference of the registers belongs to the work if the CPU was the same before
 * and after, and if the count rose by no less: the library counts what the register does, and sees
 * most moves. Pure.
 */
struct pair_place {
	int cpu; /* current_cpu() */
	int64_t count;
};
struct pair pair_among(const struct pair_place *before, const struct pair *registers,
		       const struct pair_place *after);

#endif
