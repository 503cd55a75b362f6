/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * One thread's perf events, for the counters that need them: the thread opens its events at its
 * first read, reads them through their pages or by read(2), and releases them when it ends. Where
 * no event can be had, cycles are made from a clock. Source: perf_event_open(2).
 *
 * Where cores are of several kinds, each kind has a PMU, and an event counts on its own PMU only.
 * A thread then has one event for each PMU, and its count is their sum.
 *
 * An event that shares its PMU with too many others counts only part of the time. Its count is
 * given as it is. Scaled to the time for which the event was enabled, the count would be an
 * estimate that may decrease. Where kinds of cores differ, it would even be wrong, because each
 * event stays enabled while another one counts.
 *
 * The words:
 *   process   the number of a process (perfevent-process.h)
 *   setup     the number of a setup: each one may choose other kinds of events
 *   changes   how often a thread's events were opened or released
 *   closed    of a register: user space may not read it, by the kernel's decision
 *   released  of events: this library has given their descriptors and pages back
 *   lost      of a descriptor: the program has closed it, or another file has its number now
 */

#ifndef CPUCYCLES_PERFEVENT_H
#define CPUCYCLES_PERFEVENT_H

#include "counter.h"
#include "os/perfevent-page.h"
#include "os/perfevent-process.h"
#include "os/tls.h"

/* Which event, as in struct perf_event_attr. */
struct perfevent_kind {
	uint32_t type;
	uint64_t config, config1;
};

/* One for each PMU. */
struct perfevent_kinds {
	unsigned n;
	bool by_call; /* the counter uses read(2) only, so no pages are mapped */
	struct perfevent_kind of[PERFEVENT_PMUS_MAX];
};

/* One thread's events. */
struct perfevent {
	uint32_t process; /* these events count for it; 0: the next read has to open events */
	uint32_t setup;   /* the last one before these events were opened */
	/* A signal handler may open or release events in the middle of a read, which sees that by
	 * this number. */
	volatile uint32_t changes;
	/* Pages whose registers may be read: one for each event, or 0. The handler of a fault sets
	 * this to 0 in the middle of a read. */
	volatile unsigned readable;
	long long base; /* the thread's count before these events */
	long long last; /* highest count given out */
	/* Where pages are mapped; NULL: nowhere. An address stays mapped until the thread ends,
	 * because an interrupted read may still load from it: a released page is replaced by an
	 * empty one. */
	const struct perf_event_mmap_page *pages[PERFEVENT_PMUS_MAX];
	uint32_t pages_process; /* the process in whose memory the pages are */
	unsigned n;             /* events that are open; 0: cycles are made from the clock */
	unsigned mapped;        /* pages, from the first, that are those of events */
	int page_error;         /* why a page could not be mapped: a negative errno, or 0 */
	int fds[PERFEVENT_PMUS_MAX];
	uint64_t ids[PERFEVENT_PMUS_MAX]; /* the kernel's, to see whether a descriptor is lost */
	uint64_t start_ns;                /* the clock when cycles began to be made from it */
	/* The handler for the thread's end has run, and may not run again: reads open no event any
	 * more. A selection does, because a dying thread may select for those that live. */
	bool ended;
};

/*
 * Choose the kinds for all threads, and open this thread's events. persecond is for threads that
 * have to make cycles from the clock. 0 or a negative errno.
 */
int perfevent_setup(const struct perfevent_kinds *kinds, uint64_t persecond);

/* The same, with the kinds for cycles on every kind of core. config1 goes into each of them. Only
 * under the guard. */
int perfevent_setup_cycles(uint64_t config1, bool by_call, uint64_t persecond);

/*
 * The setup of a counter that reads by perfevent_read only. If the events are held (struct
 * counter_conditions), kinds and events stay as far as they serve this counter too, and others take
 * their place only if they can be opened.
 */
int perfevent_setup_by_call(const struct counter_conditions *conditions);

/* The same, for a counter that reads by perfevent_read_register. COUNTER_CLOSED if events can be
 * opened but no register can be read; less the errno if that is because no page can be mapped. */
int perfevent_setup_register(uint64_t config1, const struct counter_conditions *conditions,
			     perfevent_register *read_register);

/* Whether the registers of these events can be read here and now. */
bool perfevent_register_is_open(const struct perfevent *event, perfevent_register *read_register);

/* Release this thread's events. After a setup of held events, go back to the kinds and events of
 * before. */
void perfevent_teardown(void);

/* Whether this thread's counts are made from the clock. */
bool perfevent_lost(void);

/* Open this thread's events, because the thread or the process is new. */
void perfevent_renew(void);

/* This thread's count, by read(2), or from the clock if it has no events. */
long long perfevent_read(struct perfevent *event);

/*
 * The same, for a counter that reads registers and could not. Events from before the last setup
 * are replaced first: that setup may have chosen other kinds, or found the registers open.
 */
long long perfevent_read_without_register(struct perfevent *event);

/* This thread's register is closed: a read of it has faulted. Later reads are by read(2). Called in
 * the handler of the fault. */
void perfevent_closed(void);

extern _Thread_local struct perfevent perfevent_this TLS_MODEL;

/* What the last setup chose. While a counter over perf events is selected, the last setup is that
 * counter's. For the holder of the guard only. */
extern struct perfevent_kinds perfevent_chosen;
extern uint64_t perfevent_multiplier; /* from the clock to cycles; for reads, too */

/* Choose other kinds, and open this thread's events in the place of those that it has. 0 or a
 * negative errno. For setups, and under the guard. */
void perfevent_choose(const struct perfevent_kinds *kinds);
int perfevent_open(void);

/* This thread's events, opened here if the thread or the process is new. */
static inline struct perfevent *perfevent_mine(void)
{
	struct perfevent *event = &perfevent_this;

	/* Hide where the address comes from. UBSan asks whether it is NULL, and gcc takes the
	 * answer from the flags of the addition that makes the address; but the linker turns that
	 * addition into LEA, which sets no flags. */
	__asm__("" : "+r"(event));
	if (perfevent_process_is_foreign(event->process))
		perfevent_renew();
	return event;
}

/* The thread's count where its events have counted raw: never less than before. */
static inline long long perfevent_advance(struct perfevent *event, long long raw)
{
	long long count = event->base + raw;

	if (count < event->last)
		return event->last;
	event->last = count;
	return count;
}

/* The read of a counter that reads registers. */
static inline long long perfevent_read_register(perfevent_register *read_register)
{
	struct perfevent *event = perfevent_mine();
	const uint32_t changes = event->changes;
	unsigned n = event->readable;
	long long raw;
	bool done;

	/* One page is the common case: with a constant 1 the compiler makes no loops of it. */
	if (n == 1)
		done = perfevent_page_sum(event->pages, 1, read_register, &raw);
	else
		done = n > 0 && perfevent_page_sum(event->pages, n, read_register, &raw);
	/* A register that faulted gave no count, nor did pages that were replaced meanwhile. */
	if (done && event->readable && event->changes == changes)
		return perfevent_advance(event, raw);
	return perfevent_read_without_register(event);
}

/* The setup and the read of a counter that reads its registers by this function, and what all such
 * counters have in struct counter. */
#define PERFEVENT_FUNCTIONS(config1, read_register) \
	static int setup(const struct counter_conditions *conditions) \
	{ \
		return perfevent_setup_register(config1, conditions, read_register); \
	} \
\
	static long long read_count(void) \
	{ \
		return perfevent_read_register(read_register); \
	}
#define PERFEVENT_COUNTER \
	.own_thread = true, .setup = setup, .teardown = perfevent_teardown, .read = read_count, \
	.closed = perfevent_closed, .lost = perfevent_lost

#endif
