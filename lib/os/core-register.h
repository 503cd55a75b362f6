/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Counts from a core's cycle register that is read without perf. The kernel keeps no value of the
 * register for each thread: another core's register holds another number, and the kernel may start
 * a register anew, stop it or close it at any time. So each thread has a count of its own, which
 * begins at 1, adds each step that the register makes forward, and ignores each step back. It does
 * not begin at 0, which would look as if there were no counter.
 *
 * A register is closed when the kernel does not let user space read it: then a read faults. A
 * thread gives its register up when it is closed or has stopped, and makes cycles from a clock.
 */

#ifndef CPUCYCLES_CORE_REGISTER_H
#define CPUCYCLES_CORE_REGISTER_H

#include "counter.h"
#include "os/tls.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * A larger step is no count. No register of 64 bits makes such a step between two reads: it is 46
 * years at 3.2 GHz. But a reset does: on ARM64, Linux starts a register at 2^63
 * (armpmu_event_set_period), and a reset sets it to 0 (armv8pmu_reset).
 */
#define CORE_REGISTER_STEP_MAX (INT64_MAX / 2)

/* A register of cycles has stopped if CORE_REGISTER_STILL reads in a row give one value. */
#define CORE_REGISTER_STILL 64

/* One thread's count, modulo 2^64. */
struct core_register {
	bool started;
	volatile sig_atomic_t given_up; /* a fault's handler sets this in the middle of a read */
	uint64_t base;                  /* count = base + register, in the register's bits */
	uint64_t last;                  /* highest count given out */
	unsigned still;                 /* reads since the register moved */
	unsigned unproven; /* number of this thread's setup, until the register moves; else 0 */
	bool by_clock;
	uint64_t start_ns; /* the clock when cycles began to be made from it, */
	uint64_t start;    /* and the count then */
};

extern _Thread_local struct core_register core_register_this TLS_MODEL;

/*
 * Prepare the clock for all threads, and have this thread read its register again, even if it had
 * given the register up. Its count goes on. If the register is held (struct counter_conditions) and
 * works in this thread, nothing changes. Always 0.
 */
int core_register_setup(const struct counter_conditions *conditions);

/* Whether this thread has given its register up. */
bool core_register_lost(void);

/* This thread's register is closed: a read of it has faulted. Called in the fault's handler. */
void core_register_closed(void);

/*
 * This thread's register has stopped: give it up. Exception: if this thread made the last setup and
 * its register has not moved since, the register stays in use, so that a probe sees that it stands
 * still.
 */
void core_register_stopped(void);

/* This thread's count, from the clock. */
long long core_register_clock(struct core_register *mine);

/*
 * What the thread's count was just before a read of the register. A handler of a signal may read in
 * the middle of this thread's read, and may end by a jump. So a read takes the count to its value
 * from where the count was before, and stores the result: to add to the count as it is after the
 * read would count the handler's cycles twice.
 */
struct core_register_before {
	bool started;
	uint64_t base, last;
};

static inline struct core_register_before core_register_now(const struct core_register *mine)
{
	const struct core_register_before before = { mine->started, mine->base, mine->last };

	atomic_signal_fence(memory_order_seq_cst);
	return before;
}

/* The count where the register says value. width: its bits. */
static inline long long core_register_advance(struct core_register *mine,
					      const struct core_register_before *before,
					      uint64_t value, unsigned width)
{
	const unsigned unused = 64 - width;
	/* A wrap is a step forward, because only the register's bits count. */
	const int64_t step = (int64_t)((before->base + value - before->last) << unused) >> unused;

	if (!before->started || step < 0 || step > CORE_REGISTER_STEP_MAX) {
		mine->base = before->last - value;
		atomic_signal_fence(memory_order_seq_cst);
		mine->started = true;
		return (long long)before->last;
	}
	if (step > 0) {
		mine->unproven = 0;
		mine->last = before->last + (uint64_t)step;
		mine->still = 0;
	} else if (++mine->still >= CORE_REGISTER_STILL) {
		core_register_stopped();
	}
	return (long long)(before->last + (uint64_t)step);
}

static inline long long core_register_count(uint64_t (*read_register)(void), unsigned width)
{
	struct core_register *mine = &core_register_this;
	struct core_register_before before;
	uint64_t value;

	__asm__("" : "+r"(mine)); /* see perfevent_mine */
	if (mine->given_up)
		return core_register_clock(mine);
	before = core_register_now(mine);
	value = read_register();
	if (mine->given_up) /* the read has faulted, and the value is not the register's */
		return core_register_clock(mine);
	return core_register_advance(mine, &before, value, width);
}

/* The read of a counter whose register this function reads, and what all such counters have in
 * struct counter. width: the register's bits. */
#define CORE_REGISTER_FUNCTION(read_register, width) \
	static long long read_count(void) \
	{ \
		return core_register_count(read_register, width); \
	}
#define CORE_REGISTER_COUNTER \
	.read = read_count, .closed = core_register_closed, .lost = core_register_lost, \
	.caveat = "cycles of the core, whichever thread runs on it, " \
		  "as long as somebody lets it count"

#endif
