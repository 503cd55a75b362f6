/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* One run of the benchmarks: its options, its paths, and the store of all samples. */

#ifndef CPUCYCLES_BENCH_BENCH_H
#define CPUCYCLES_BENCH_BENCH_H

#include "plan-trace.h"
#include "series.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SERIES_MAX 128

struct bench {
	/* Options */
	long rounds;         /* fresh processes for each variant of a first call */
	long blocks;         /* blocks of calls for the cost of a read */
	long calls;          /* calls in a block */
	long together;       /* processes that start at once */
	long calibrations;   /* runs of the calibrator */
	uint64_t seed;       /* of everything that is drawn at random */
	const char *against; /* another library to measure, or NULL */
	const char *root;    /* root folder for the programs that are measured, or NULL */
	const char *runner;  /* emulator that runs these programs, with its options, or NULL */
	const char *only;    /* names of the sections to run, or NULL: all */
	bool emulated;       /* hold first calls to the goals for emulated machines */

	/* Paths, as seen inside of root */
	char build[PATH_MAX], library[PATH_MAX], call[PATH_MAX];
	char folder[PATH_MAX];         /* for files of this run */
	char folder_outside[PATH_MAX]; /* the same folder, as seen from outside of root */
	char cache[PATH_MAX + 96];     /* "CPUCYCLES_CACHE=...", or empty: the installed cache */
	const char *cache_from;        /* how the cache was made, for the report */

	/* Results */
	struct series series[SERIES_MAX];
	size_t n;
	struct trace cached_trace, bare_trace, none_trace, against_trace;
	char page_kind[SERIES_WHY]; /* which page the series page.* are of */
	double load;                /* load average of the minute before the run; -1: unknown */
};

/* The series of that name, or NULL. */
const struct series *bench_find(const struct bench *bench, const char *name);

/* Add a sample to the series of that name, which is made if there is none. */
void bench_add(struct bench *bench, const char *name, const char *unit, double sample);

/* Note why a series could not be measured. The first reason stays. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
void bench_missing(struct bench *bench, const char *name, const char *unit, const char *why, ...);

#endif
