/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* struct counter: each file of a counter, in lib/arch and lib/os, defines one. */

#ifndef CPUCYCLES_COUNTER_H
#define CPUCYCLES_COUNTER_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Ordered by how much the rule distrusts them: see selection_penalty(). */
enum counter_class {
	COUNTER_ON_CORE,      /* counts the cycles of this core, in a register */
	COUNTER_OFF_CORE,     /* a register that runs apart from the core */
	COUNTER_KERNEL_COUNT, /* core cycles, but read by a system call */
	COUNTER_OS_CLOCK,     /* an OS clock of fixed resolution */
	COUNTER_LAST_RESORT   /* always works, counts nothing */
};

/* "on-core" and so on, as the cache and the tools write it. */
const char *counter_class_name(enum counter_class class);

/* Find the class of this name. False: there is no such class, or it is that of the last resort,
 * which nobody can ask for by class. */
bool counter_class_find(const char *name, enum counter_class *class);

/* A setup's answer when events can be opened but the kernel keeps the register closed. */
#define COUNTER_CLOSED (-4096)

/* A setup's answer on a CPU that does not have what the counter reads. It is below all answers that
 * COUNTER_CLOSED makes, because no errno is above 4095. */
#define COUNTER_ABSENT (-8192)

/* The number of the selection that is under way; 0: none is. A counter that asks the system what
 * another one has asked in this selection may take that answer. */
extern unsigned counter_selection;

/* A signal as an element of a set. */
#define COUNTER_SIGNAL(sig) (UINT32_C(1) << (sig))

struct ratio {
	uint64_t num, den;
};

struct counter_conditions {
	uint64_t persecond;   /* cycles per second */
	struct ratio scaling; /* cycles per tick; 1/1 for counters that count cycles */
	/* Somebody goes on reading this counter, or one with the same teardown. So the calling
	 * thread's count goes on: no cycle between its last read and this setup is lost, and
	 * teardown goes back to what was there before this setup. */
	bool held;
};

struct counter {
	const char *name;
	enum counter_class class;
	bool own_thread; /* it counts for the thread that reads it, and for no other */
	unsigned width;  /* bits that the source counts before it wraps */
	/* Cycles that the rule adds to its precision, in place of those of its class. 0: the
	 * class's. */
	uint64_t penalty;
	/* Own rate in ticks per second. NULL: it has none and is taken as cycles. */
	int (*rate)(uint64_t *hz);
	const char *hz_source; /* where that rate comes from */
	/* Make ready for this process. 0, a negative errno, COUNTER_ABSENT, or COUNTER_CLOSED, less
	 * the errno of a call that kept the register out of reach. */
	int (*setup)(const struct counter_conditions *conditions);
	/* Give back what setup took for the calling thread. NULL: setup took nothing. Counters with
	 * the same teardown share what they take. */
	void (*teardown)(void);
	/* The signals that rate, setup, read and teardown can raise on a machine where the counter
	 * has worked, as a set of COUNTER_SIGNAL. A selection from the cache catches only these. */
	uint32_t signals;
	/* Cycles. Published as cpucycles(): any thread, any signal handler. */
	long long (*read)(void);
	/* The register of the CPU that `read` makes the thread's counts of; 0 where it has faulted.
	 * NULL: `read` gives what it reads. */
	long long (*read_register)(void);
	/* For a register that the kernel may close while the program runs. The read, a FIXUP
	 * (fixup.h), then raises one of closing_signals, a set of COUNTER_SIGNAL, and the signal's
	 * handler calls closed in that thread. 0 and NULL: the register stays open. */
	uint32_t closing_signals;
	void (*closed)(void);
	/* The core's frequency in Hz, from what this counter of cycles counts in this thread by a
	 * clock. It takes some 30 us, during which the core is busy. 0: unknown. NULL: always. */
	uint64_t (*core_hz)(void);
	/* Whether the calling thread's counts are made from a clock, in place of what this counter
	 * reads. NULL: never. */
	bool (*lost)(void);
	const char *caveat; /* what a user of its counts has to know */
};

/* Whether counts of this class are cycles of the core. */
static inline bool counter_counts_core(enum counter_class class)
{
	return class == COUNTER_ON_CORE || class == COUNTER_KERNEL_COUNT;
}

/* Whether the calling thread's counts are not those of the counter, but made from a clock. */
static inline bool counter_is_lost(const struct counter *counter)
{
	return counter->lost && counter->lost();
}

/* Whether its counts are the ticks of the time-stamp counter: the readers of that register are the
 * only counters apart from the core without a rate of their own. */
static inline bool counter_reads_tsc(const struct counter *counter)
{
	return counter->class == COUNTER_OFF_CORE && !counter->rate;
}

#endif
