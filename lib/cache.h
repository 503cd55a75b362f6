/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The ranked-counter cache: its format, and when it may be trusted. The format is
 * described in cpucycles-cache(5); it is written and read here only. */

#ifndef CPUCYCLES_CACHE_H
#define CPUCYCLES_CACHE_H

#include "counters.h"
#include "frequency.h"
#include "machine.h"
#include "selection.h"

#include <stdbool.h>
#include <sys/types.h>

/* A longer file is not a cache. */
#define CACHE_SIZE_MAX 8192

#define CACHE_VERSION_SIZE 32
#define CACHE_FINGERPRINT_SIZE 17 /* 16 hexadecimal digits, and a 0 */

/* Why a cache is not used; the names are part of the API. */
enum cache_status {
	CACHE_USED,
	CACHE_MISSING,
	CACHE_STALE_BOOT,
	CACHE_STALE_MACHINE,
	CACHE_STALE_PERSECOND,
	CACHE_UNTRUSTED,
	CACHE_MALFORMED,
	CACHE_NO_COUNTER,
	CACHE_DISABLED,
	CACHE_STATUSES
};

/* What decides how far to trust a count, as words. */
enum cache_fact {
	FACT_TSC,         /* invariant, variable, none */
	FACT_CLOCKSOURCE, /* the kernel's, such as tsc */
	FACT_HYPERVISOR,  /* its name, none */
	FACT_GOVERNOR,    /* cpufreq's, none */
	FACT_TURBO,       /* on, off */
	FACT_SMT,         /* on, off */
	FACT_KINDS,       /* kinds of core, a number */
	FACT_SKEW,        /* of the best free-running counter between CPUs, in ns at most */
	CACHE_FACTS
};

#define CACHE_FACT_SIZE 32

struct cache {
	char library[CACHE_VERSION_SIZE];         /* version that wrote it */
	char boot[MACHINE_BOOT_SIZE];
	char machine[MACHINE_IDENTITY_SIZE];      /* cheap identity, checked by the library */
	char fingerprint[CACHE_FINGERPRINT_SIZE]; /* full identity, checked at boot */
	struct persecond persecond;
	struct rate core; /* the core's own frequency, measured; 0 Hz: not */
	char facts[CACHE_FACTS][CACHE_FACT_SIZE]; /* one word each; written as "unknown" if empty */
	size_t usable; /* the first so many candidates, in rank order */
	struct candidate candidates[COUNTERS_MAX]; /* counters_count of them */
};

const char *cache_status_name(enum cache_status status);

/* "tsc" and so on, as the cache and the tools write it. */
const char *cache_fact_name(enum cache_fact fact);

/* "on-core" and so on, as the cache and the tools write it. */
const char *cache_class_name(enum counter_class class);

/* "errno", "signal" and so on, as the cache and the tools write it. */
const char *cache_reason_name(enum reason reason);

/* The text of a cache. Its length, or 0 if it does not fit. Pure. */
size_t cache_format(const struct cache *cache, char *text, size_t size);

/*
 * The opposite. 0, or the number of the first line that is wrong, counted from 1.
 * length: of the text, which need not end in a 0. Pure.
 */
unsigned cache_parse(const char *text, size_t length, struct cache *cache);

/* What a cache is held against: this process, its boot and its machine. */
struct cache_context {
	const char *path;
	bool own;                   /* a file of the caller's own will do: he named it */
	const char *persecond_path; /* the persecond file */
};

/*
 * Everything that can be checked before a counter is tried. CACHE_USED: all of
 * it holds. Otherwise *line is the wrong line of a malformed cache (0: none), *error a
 * negative errno where a call failed (0: none), for the tools to explain. The
 * parsed cache stays in *cache where it was whole; cache->library[0] is 0 if not.
 * To be called under the guard.
 */
struct cache_verdict {
	enum cache_status status;
	unsigned line;
	int error;
};

struct cache_verdict cache_load(const struct cache_context *context, struct cache *cache);

#endif
