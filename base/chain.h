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

/* Whether each instruction of the chain takes one cycle on this processor. Not where the chain is
 * written in C, nor on the processors that chain.c excepts. */
bool chain_is_exact(void);

/* Whether an Intel processor with this signature (EAX of leaf 1 of CPUID) is a Pentium 4. Under a
 * hypervisor, it is not: QEMU's kvm64 shows that family, whatever the processor is. Pure. */
bool chain_is_pentium4(uint32_t signature, bool hypervisor);

/* Run the chain this number of times; at least once. */
void chain_run(unsigned long rounds);

/*
 * Chains in the form in which works are measured: *rounds is an unsigned long, at least 1. None of
 * them calls another function, so that each takes what a work takes, and its length. There are none
 * where the chain is portable.
 */
void chain_xors(void *rounds);

/* Two more, to see whether the first one can be believed. Each multiplication waits for the one
 * before. A round has CHAIN_PRODUCTS of them. */
#define CHAIN_PRODUCTS 300

/* Of integers: a whole number of cycles each, which differs between processors. Some architectures
 * have none: then this does nothing. */
void chain_products(void *rounds);

/* Of floating-point numbers: at most CHAIN_FLOAT_CYCLES_MAX cycles each, where a processor does
 * them. */
#define CHAIN_FLOAT_CYCLES_MAX 8
void chain_floats(void *rounds);

/*
 * A long batch takes at least this time, and this many steps of the clock: long relative to what a
 * reading of the clock can be off. It is shorter than the time from one timer interrupt to the next
 * (a thousand per second at most), because all batches that are interrupted are too long, and on a
 * slow core by much.
 */
#define CHAIN_BATCH_NS 50000
#define CHAIN_BATCH_STEPS 400
#define CHAIN_BATCH_MAX_NS 400000

#define CHAIN_BATCHES_MAX 1024

/* CHAIN_BATCHES_MIN batches of each length are timed even when the time is up, because of fewer no
 * three may agree. */
#define CHAIN_BATCHES_MIN 16

/* Batches of one length, timed one by one. */
struct chain_batches {
	uint64_t ns[CHAIN_BATCHES_MAX];
	uint64_t counts[CHAIN_BATCHES_MAX]; /* of the counter, if there is one */
};

/*
 * Short and long batches in turns. In addition to the chain, a batch takes the time of reading the
 * clock and the counter. That is the same for both lengths, so the difference of a long and a short
 * batch is free of it. On a slow core one reading takes as long as the chain of a short batch.
 */
struct chain_times {
	struct chain_batches brief, whole;
	size_t n;             /* of each length; 0: the clock is too coarse */
	unsigned long rounds; /* that a long batch has more than a short one */
	uint64_t clock_step;  /* ns */
};

/* Time batches on this CPU by the raw clock, after a time for the core to speed up. count: a
 * counter that is read with the clock, or NULL. */
void chain_time(uint64_t budget_ns, long long (*count)(void), struct chain_times *times);

#endif
