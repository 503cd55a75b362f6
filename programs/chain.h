/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A chain of instructions that each wait for the result of the one before. A core takes one cycle
 * for each, however many instructions it could execute side by side, so the time of a chain tells
 * the core's frequency. */

#ifndef CPUCYCLES_CHAIN_H
#define CPUCYCLES_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Cycles of a round: few enough for the smallest instruction cache and for the shortest branch
 * (4 KiB on RISC-V), enough to make the cost of the loop around them small. */
#define CHAIN_ROUND_CYCLES 1000

/* The instructions of the loop around a round take at most this many cycles more, on a core that
 * executes one instruction at a time. */
#define CHAIN_LOOP_CYCLES 3

/* Where no instruction of this processor is known, the chain is written in C. The compiler may
 * make more instructions of it, so a frequency computed from it is a lower bound. */
bool chain_is_portable(void);

/* Run the chain so many times; at least once. */
void chain_run(unsigned long rounds);

/* A batch takes about this long: long beside a step of the clock, short beside a time slice. */
#define CHAIN_BATCH_NS 50000

#define CHAIN_BATCHES_MAX 2048

/* This many batches are timed even when the time is up, because of fewer no three may agree. */
#define CHAIN_BATCHES_MIN 64

/* Batches of the same length, timed one by one. */
struct chain_batches {
	uint64_t ns[CHAIN_BATCHES_MAX];
	size_t n;             /* 0: the clock is too coarse */
	unsigned long rounds; /* of each batch */
	uint64_t clock_step;  /* ns */
};

/* Time batches on this CPU by the raw clock, after a time for the core to speed up. */
void chain_time(uint64_t budget_ns, struct chain_batches *batches);

#endif
