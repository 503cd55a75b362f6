/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "choose.h"
#include "guard.h"
#include "os/clock.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#pragma GCC visibility push(default)
#include "cpucycles.h"
#pragma GCC visibility pop

static struct choice choice;
static atomic_bool chosen;   /* choice is complete */
static atomic_bool tracing;  /* cpucycles_tracesetup was called */
static struct candidate traced[COUNTERS_MAX];

/* The count for a call that must not wait: see cpucycles(3), SIGNALS. */
static long long read_provisional(void)
{
	static const struct ratio per_ns = { PERSECOND_BLIND, CLOCK_NS_PER_S };
	uint64_t ns;

	clock_by_syscall(&ns);
	return (long long)scale_multiply(ns, scale_multiplier(per_ns, SCALE_CLOCK_SHIFT),
					 SCALE_CLOCK_SHIFT);
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

/* The line that scripts read. */
static void print_trace(void)
{
	for (size_t i = 0; i < counters_count; i++) {
		const struct candidate *c = &traced[i];
		bool usable = c->reason == REASON_NONE;

		printf("cpucycles tracesetup %zu %s precision %llu scaling %.6f only32 %d\n", i,
		       c->counter->name, (unsigned long long)c->precision,
		       usable ? (double)c->scaling.num / (double)c->scaling.den : 0.0,
		       usable && c->counter->width == 32);
	}
}

static void make_choice(bool trace)
{
	const struct choose_options options = {
		.cache = { .path = CACHE_PATH, .persecond_path = PERSECOND_PATH },
		.full_probe = trace ? traced : NULL,
	};

	choose(&options, &choice);
	if (choice.counter->closed)
		guard_keep(choice.counter->closing_signal, choice.counter->closed);
	/* A program not built as PIE has the variable in itself: reach it as it does. */
	__atomic_store_n(&cpucycles, choice.counter->read, __ATOMIC_RELEASE);
	atomic_store(&chosen, true);
}

/* Makes the choice unless it is made. Never NULL, keeps errno. */
static const struct choice *get_choice(void)
{
	int saved_errno = errno;
	bool trace = false;
	struct guard guard;

	if (atomic_load(&chosen))
		return &choice;
	if (guard_acquire(&guard) == LOCK_TAKEN) {
		if (!atomic_load(&chosen)) {
			guard_install(&guard);
			trace = atomic_load(&tracing);
			make_choice(trace);
		}
		guard_release(&guard);
	}
	if (trace)
		print_trace();
	errno = saved_errno;
	return atomic_load(&chosen) ? &choice : &provisional;
}

static long long first_call(void)
{
	return get_choice()->counter->read();
}

long long (*cpucycles)(void) = first_call;

const char *cpucycles_implementation(void)
{
	return get_choice()->counter->name;
}

const char *cpucycles_version(void)
{
	return PACKAGE_VERSION;
}

long long cpucycles_persecond(void)
{
	return (long long)get_choice()->persecond.hz;
}

long long cpucycles_hz(void)
{
	return (long long)get_choice()->rate.hz;
}

long long cpucycles_hz_ppm(void)
{
	return (long long)get_choice()->rate.ppm;
}

long long cpucycles_nanoseconds(long long difference)
{
	const struct choice *c = get_choice();

	return rate_nanoseconds(difference, c->rate.hz ? c->rate.hz : c->persecond.hz);
}

void cpucycles_tracesetup(void)
{
	atomic_store(&tracing, true);
}

const char *cpucycles_selection_source(void)
{
	return get_choice()->from_cache ? "cache" : "probe";
}

const char *cpucycles_cache_status(void)
{
	return cache_status_name(get_choice()->cache_status);
}

const char *cpucycles_persecond_source(void)
{
	return frequency_source_name(get_choice()->persecond.source);
}
