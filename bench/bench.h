/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What the sections of the driver share: options, paths, samples. */

#ifndef CPUCYCLES_BENCH_BENCH_H
#define CPUCYCLES_BENCH_BENCH_H

#include "plan-trace.h"
#include "series.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#define SERIES_MAX 128

struct bench {
	/* Options */
	long rounds;       /* fresh processes for each variant */
	long blocks;       /* of calls, for a read's cost */
	long calls;        /* in a block */
	long together;     /* processes that start at once */
	long calibrations;
	uint64_t seed;
	const char *against;  /* another library, or NULL */
	const char *root;     /* where programs run, or NULL */
	const char *runner;   /* the command that runs them, or NULL: an emulator */
	const char *only;     /* sections, or NULL: all */
	bool emulated;        /* the machine, whatever runs the programs */

	/* Where things are; inside of root */
	char build[PATH_MAX], library[PATH_MAX], call[PATH_MAX];
	char folder[PATH_MAX];        /* for the run's own files, inside of root */
	char folder_outside[PATH_MAX];
	char cache[PATH_MAX + 96];    /* CPUCYCLES_CACHE=..., or empty: the cache as installed */
	const char *cache_from;       /* how it came about */

	/* What came of it */
	struct series series[SERIES_MAX];
	size_t n;
	struct trace cached_trace, bare_trace, none_trace, against_trace;
	char page_kind[SERIES_WHY]; /* what page.call and page.bare read */
	double load; /* average over the minute before */
};

/* The series of that name, made if there is none. */
struct series *bench_series(struct bench *bench, const char *name, const char *unit);

/* NULL if there is none. */
const struct series *bench_find(const struct bench *bench, const char *name);

void bench_add(struct bench *bench, const char *name, const char *unit, double sample);

/* It is not measured, for that reason. The first reason stays. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void bench_missing(struct bench *bench, const char *name, const char *unit, const char *why, ...);

/* The sections */
bool bench_prepare(struct bench *bench);
void bench_first(struct bench *bench);
void bench_reads(struct bench *bench);
void bench_growth(struct bench *bench);
void bench_calibrator(struct bench *bench);
void bench_size(struct bench *bench);

/* One answer of "call first" and its like. */
struct answer {
	long long ns, clock;
	long faults;
	char implementation[64], source[32], status[32];
};

/* Runs it in a fresh process; false: what went wrong is in why. */
struct command;
bool bench_ask(const struct bench *bench, const struct command *command, struct answer *answer,
	       char why[SERIES_WHY]);

/* An answer to "call first" that somebody else got. */
void bench_import(struct bench *bench, const char *variant, const struct answer *answer);
bool bench_parse_answer(const char *line, struct answer *answer);

#endif
