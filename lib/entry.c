/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The public functions, the pointer that is called, and when a choice is made. */

#include "config.h"

#include "other.h"
#include "checkers.h"
#include "choose.h"
#include "guard.h"
#include "hot.h"
#include "os/clock.h"
#include "thread.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#pragma GCC visibility push(default)
#include "cpucycles.h"
#pragma GCC visibility pop

/*
 * There are two slots: the choice in use, which all threads read, and the next choice, which the
 * holder of the guard writes. A slow reader may still read a slot that is being written again, so a
 * slot consists of atomic words. The reader then sees that the generation has moved on and reads
 * again. A signal handler that interrupts the holder never has to: the generation cannot move while
 * the handler runs.
 *
 * A pointer to a choice that is never written again would be simpler, and cannot be had. A program
 * may reselect any number of times, each choice may differ in its rate and its cache's status, and
 * the library allocates nothing. So memory for choices has to be reused, and a thread that was
 * stopped may read an old choice at any later time. And cpucycles, whose type programs know, would
 * stay a second pointer, which a fork can cut off from the first.
 */
#define WORDS ((sizeof(struct choice) + sizeof(uintptr_t) - 1) / sizeof(uintptr_t))

static HOT _Atomic(uintptr_t) slots[2][WORDS];
static HOT atomic_uint generation; /* slots[generation % 2] is in use; 0: nothing is chosen */

static HOT atomic_bool tracing; /* cpucycles_tracesetup was called */
static HOT atomic_int printer;  /* the thread that prints traced; 0: none does */
static struct candidate traced[COUNTERS_MAX];

/* The count of a provisional answer: cpucycles-process(7), "Provisional answers". */
COLD static long long read_provisional(void)
{
	const uint64_t multiplier = clock_multiplier(PERSECOND_BLIND);
	uint64_t ns;

	clock_by_syscall(&ns);
	return clock_cycles(ns, &multiplier);
}

static const struct counter counter_provisional = {
	.name = "default-syscall",
	.read = read_provisional,
};

static const struct choice provisional = {
	.counter = &counter_provisional,
	.persecond = { PERSECOND_BLIND, PERSECOND_DEFAULT },
	.rate = { PERSECOND_BLIND, 0 },
	.cache_status = CACHE_DISABLED,
};

/* Release here and acquire in load_slot: a reader that sees one of the new words also sees a
 * generation that has moved on. */
static void store_slot(unsigned number, const struct choice *choice)
{
	uintptr_t words[WORDS] = { 0 };

	memcpy(words, choice, sizeof *choice);
	for (size_t i = 0; i < WORDS; i++)
		atomic_store_explicit(&slots[number % 2][i], words[i], memory_order_release);
}

static void load_slot(unsigned number, struct choice *choice)
{
	uintptr_t words[WORDS];

	for (size_t i = 0; i < WORDS; i++)
		words[i] = atomic_load_explicit(&slots[number % 2][i], memory_order_acquire);
	memcpy(choice, words, sizeof *choice);
}

static unsigned next_generation(unsigned now)
{
	return now == UINT_MAX ? 2 : now + 1;
}

/*
 * Whether cpucycles already points to the counter of the other slot. The pointer is stored before
 * the generation, so this is true for a moment. In a child that was forked in that moment, it is
 * true until the next selection.
 */
static bool other_is_published(unsigned now, const struct choice *current, struct choice *other)
{
	/* By the public symbol: a program that is not position-independent has its own copy of the
	 * variable (a copy relocation), and that copy is the one in use. */
	long long (*read)(void) = __atomic_load_n(&cpucycles, __ATOMIC_ACQUIRE);

	if (read == current->counter->read)
		return false;
	load_slot(now + 1, other);
	return other->counter && other->counter->read == read;
}

/* Copy the choice in use. False: none has been made. */
static bool load_choice(struct choice *choice)
{
	struct choice other;
	unsigned now;

	do {
		now = atomic_load(&generation);
		if (now == 0)
			return false;
		load_slot(now, choice);
		if (other_is_published(now, choice, &other))
			*choice = other;
	} while (atomic_load(&generation) != now);
	return true;
}

/* Put the choice in use. Only by the holder of the guard. */
static void publish(const struct choice *choice)
{
	struct choice current, other;
	unsigned now = atomic_load(&generation);

	/* The pointer is read by the program's code, which no suppression can name. */
	checkers_allow(&cpucycles, sizeof cpucycles);
	checkers_allow(slots, sizeof slots);
	checkers_allow(&generation, sizeof generation);
	/* A fork cut the holder off between pointer and generation: finish for it. */
	load_slot(now, &current);
	if (now && other_is_published(now, &current, &other)) {
		now = next_generation(now);
		atomic_store(&generation, now);
	}
	store_slot(now + 1, choice);
	if (choice->counter->closed)
		guard_keep(choice->counter->closing_signals, choice->counter->closed);
	__atomic_store_n(&cpucycles, choice->counter->read, __ATOMIC_RELEASE);
	atomic_store(&generation, next_generation(now));
}

static struct cache_context usual_cache(void)
{
	return (struct cache_context){ .path = CACHE_PATH, .persecond_path = PERSECOND_PATH };
}

static void choose_and_publish(bool trace)
{
	struct choice before, choice;
	const bool again = load_choice(&before);
	const struct choose_options options = {
		.cache = usual_cache(),
		.full_probe = trace ? traced : NULL,
		.before = again ? &before : NULL,
	};

	choose_counter(&options, &choice);
	publish(&choice);
}

/* Only by the holder of the guard. Whether this selection has to fill the array traced, which this
 * thread then prints: a trace was asked for, and no other thread is still printing one. */
static bool takes_trace(void)
{
	int now = atomic_load(&printer);

	if (!atomic_load(&tracing) || (now && thread_exists(now)))
		return false;
	atomic_store(&tracing, false);
	atomic_store(&printer, thread_id());
	return true;
}

/* The scaling in millionths, rounded as printf(3) rounds. */
COLD static unsigned long long millionths(struct ratio scaling)
{
	const uint64_t million = 1000000, whole = scaling.num / scaling.den;
	const uint64_t part = scaling.num % scaling.den * million;
	const uint64_t rounded = part / scaling.den, rest = part % scaling.den;
	const bool up = rest > scaling.den - rest || (rest == scaling.den - rest && rounded % 2);

	return whole * million + rounded + up;
}

/* Scripts read these lines. They have a point in every locale of the program, so nothing in them is
 * a number with decimals for printf(3). */
COLD static void print_trace(void)
{
	for (size_t i = 0; i < counters_count; i++) {
		const struct candidate *c = &traced[i];
		const bool usable = c->reason == REASON_NONE;
		const unsigned long long scaling = usable ? millionths(c->scaling) : 0;

		printf("cpucycles tracesetup %zu %s precision %llu scaling %llu.%06llu only32 %d\n",
		       i, c->counter->name, (unsigned long long)c->precision, scaling / 1000000,
		       scaling % 1000000, usable && c->counter->width == 32);
	}
	atomic_store(&printer, 0);
}

/* anew: even if there is a choice already. Keeps errno. */
static void make_selection(bool anew)
{
	int saved_errno = errno;
	bool trace = false;
	struct guard guard;

	if (guard_acquire(&guard) == LOCK_TAKEN) {
		if ((anew || atomic_load(&generation) == 0) && guard_install(&guard, GUARD_BASE)) {
			trace = takes_trace();
			choose_and_publish(trace);
		}
		guard_release(&guard);
	}
	if (trace)
		print_trace();
	errno = saved_errno;
}

static struct choice get_choice(void)
{
	struct choice choice;

	if (load_choice(&choice))
		return choice;
	make_selection(false);
	return load_choice(&choice) ? choice : provisional;
}

static long long first_call(void)
{
	return get_choice().counter->read();
}

long long (*cpucycles)(void) = first_call;

void cpucycles_reselect(void)
{
	make_selection(true);
}

const char *cpucycles_implementation(void)
{
	return get_choice().counter->name;
}

const char *cpucycles_version(void)
{
	return PACKAGE_VERSION;
}

long long cpucycles_persecond(void)
{
	return (long long)get_choice().persecond.hz;
}

long long cpucycles_hz(void)
{
	return (long long)get_choice().rate.hz;
}

long long cpucycles_hz_ppm(void)
{
	return (long long)get_choice().rate.ppm;
}

/* The counts per second, or the best estimate. Never 0. Counts that are made from a clock are
 * scaled by persecond. */
static uint64_t likely_hz(const struct choice *c)
{
	if (c->rate.hz)
		return c->rate.hz;
	if (c->core_hz && counter_counts_core(c->counter->class) && !counter_is_lost(c->counter))
		return c->core_hz;
	return c->persecond.hz;
}

long long cpucycles_nanoseconds(long long difference)
{
	const struct choice c = get_choice();

	return rate_nanoseconds(difference, likely_hz(&c));
}

void cpucycles_tracesetup(void)
{
	atomic_store(&tracing, true);
}

const char *cpucycles_selection_source(void)
{
	return get_choice().from_cache ? "cache" : "probe";
}

const char *cpucycles_cache_status(void)
{
	return cache_status_name(get_choice().cache_status);
}

const char *cpucycles_persecond_source(void)
{
	return frequency_source_name(get_choice().persecond.source);
}

/* NULL: there is no counter of this name, which may be NULL. */
COLD static const struct counter *find_counter(const char *name)
{
	const size_t i = name ? counters_find(name) : counters_count;

	return i < counters_count ? counters_list[i] : NULL;
}

/* Counters other than the choice. Keeps errno. */
COLD static int try_other(const struct counter *counter, bool keep, struct other *result)
{
	int saved_errno = errno, answer = -EAGAIN;
	struct choice choice;
	struct guard guard;

	if (!counter)
		return -EINVAL;
	get_choice(); /* makes the first selection */
	if (guard_acquire(&guard) == LOCK_TAKEN) {
		if (load_choice(&choice) && guard_install(&guard, GUARD_BASE)) {
			const struct choose_options options = {
				.cache = usual_cache(),
				.before = &choice,
			};

			other_try(&options, counter, keep, result);
			answer = 0;
		}
		guard_release(&guard);
	}
	errno = saved_errno;
	return answer;
}

const char *cpucycles_counter_name(unsigned i)
{
	return i < counters_count ? counters_list[i]->name : NULL;
}

/* No later version of the structure is longer. */
#define COUNTER_SIZE_MAX 4096

COLD int cpucycles_counter_look(const char *name, struct cpucycles_counter *counter)
{
	const struct counter *c = find_counter(name);
	struct cpucycles_counter found = { .size = counter->size };
	struct other other;
	int error;

	/* A size that was never set must not make this clear foreign memory. */
	if (counter->size < sizeof found || counter->size > COUNTER_SIZE_MAX)
		return -EINVAL;
	error = try_other(c, false, &other);
	if (error)
		return error;
	found.name = c->name;
	found.class_name = counter_class_name(c->class);
	found.in_use = other.in_use;
	found.own_thread = c->own_thread;
	found.reason = other.reason == REASON_NONE ? NULL : reason_name(other.reason);
	if (other.reason == REASON_SIGNAL)
		found.signal_number = other.detail;
	else
		found.error = other.detail;
	found.hz = (long long)other.rate.hz;
	found.hz_ppm = other.rate.ppm;
	if (!found.reason)
		found.read_register = c->read_register;
	memset(counter, 0, counter->size); /* with the members of a later version */
	memcpy(counter, &found, sizeof found);
	return 0;
}

COLD int cpucycles_counter_ready(const char *name, long long (**read)(void))
{
	const struct counter *c = find_counter(name);
	struct other other;
	int error = try_other(c, true, &other);

	if (error)
		return error;
	if (other.reason != REASON_NONE)
		return -ENOTSUP;
	*read = c->read;
	return 0;
}

COLD int cpucycles_counter_lost(const char *name)
{
	const struct counter *c = find_counter(name);

	return c ? counter_is_lost(c) : -EINVAL;
}
