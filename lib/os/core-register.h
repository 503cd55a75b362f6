/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Cycle registers that are read without perf. Nobody keeps their counts apart by thread
 * and core: another core's register holds another number, the kernel may start one anew at
 * any time, and may close or stop it. A thread's count begins at 0, takes each step forward,
 * and takes a step back for none.
 */

#ifndef CPUCYCLES_CORE_REGISTER_H
#define CPUCYCLES_CORE_REGISTER_H

#include "counter.h"
#include "os/tls.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * No register of 64 bits runs so far between two reads: this is 46 years at 3.2 GHz. But one that
 * Linux started on ARM64, at 2^63 (armpmu_event_set_period), and that is 0 after a reset
 * (armv8pmu_reset) has stepped by nearly 2^63.
 */
#define CORE_REGISTER_STEP_MAX (INT64_MAX / 2)

/* So many reads of the same value in a row: a register of cycles has been stopped. */
#define CORE_REGISTER_STILL 64

/* One thread's. Counts are modulo 2^64. */
struct core_register {
	bool started;
	volatile sig_atomic_t closed; /* set by a fault's handler in the middle of a read */
	uint64_t base;     /* count = base + register, in the register's bits */
	uint64_t last;     /* highest count given out */
	unsigned still;    /* reads since the register moved */
	unsigned proving;  /* the setup by this thread that has not seen it move; 0: none */
	bool by_clock;
	uint64_t start_ns; /* of the clock, and the count then */
	uint64_t start;
};

extern _Thread_local struct core_register core_register_this TLS_MODEL;

/* The clock, for threads that need it; and the register has to prove itself to this one, again if it
 * was in use before. Never fails. */
int core_register_setup(const struct counter_conditions *conditions);

/* This thread's register faulted: it goes on with a clock. */
void core_register_closed(void);

/* This thread's register has stopped: the same, unless this thread has set it up and not seen it move. Then
 * it is no counter, and a probe has to see that. */
void core_register_stopped(void);

/* The count from that clock. */
long long core_register_clock(struct core_register *mine);

/* The count where the register, of that many bits, says value. */
static inline long long core_register_advance(struct core_register *mine, uint64_t value, unsigned width)
{
	const unsigned unused = 64 - width;
	int64_t step;

	if (!mine->started) {
		mine->started = true;
		mine->base = mine->last - value;
	}
	/* A wrap is a step forward: only the register's bits count. */
	step = (int64_t)((mine->base + value - mine->last) << unused) >> unused;
	if (step < 0 || step > CORE_REGISTER_STEP_MAX) {
		mine->base -= (uint64_t)step;
	} else if (step > 0) {
		mine->proving = 0;
		mine->last += (uint64_t)step;
		mine->still = 0;
	} else if (++mine->still >= CORE_REGISTER_STILL) {
		core_register_stopped();
	}
	return (long long)mine->last;
}

static inline long long core_register_count(uint64_t (*read_register)(void), unsigned width)
{
	struct core_register *mine = &core_register_this;
	uint64_t value;

	__asm__("" : "+r"(mine)); /* see perfevent_mine */
	if (mine->closed)
		return core_register_clock(mine);
	value = read_register();
	/* Looked at again: what a register gave when it faulted is not a count. */
	if (mine->closed)
		return core_register_clock(mine);
	return core_register_advance(mine, value, width);
}

#endif
