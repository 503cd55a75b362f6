/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Programs with benchmarks: each is started to list what it has, or to run one benchmark, and what
 * its harness wrote is read. Knows nothing of how many runs make a verdict. */

#ifndef CPUCYCLES_MEASURE_HARNESS_PROGRAMS_H
#define CPUCYCLES_MEASURE_HARNESS_PROGRAMS_H

#include "options.h"
#include "files/pairs.h"
#include "harness/driver.h"
#include "link/scratch.h"
#include "run/alternate.h"

#include <stdbool.h>
#include <stddef.h>

/* A program, or a folder. */
struct side {
	const char *given; /* as the command line has it */
	char *path;        /* for the command */
	char *folder;      /* NULL: this program's */
};

struct harness {
	const struct wanted *wanted;
	const struct driver *driver;
	struct side sides[2];
	struct pairs pairs;
	struct scratch scratch;
	char *result, *output; /* files */
};

/* What the next run is. */
struct bench {
	struct harness *harness;
	struct target *targets;
	double seconds;
	bool wall;
	bool absent;   /* the harness has listed it, but does not run it */
	double run_ns; /* that the last run took */
};

/* List the benchmarks of a side. Some may fail in this, which is said when they are measured. */
enum outcome_status harness_list(struct harness *harness, size_t side);

/* One run of a benchmark. What goes wrong is in the target. */
enum outcome_status harness_run_once(struct bench *bench, size_t side, size_t padding,
				     struct driver_time *time);

/* The same until it took a time, for alternate_run(). context: a struct bench. */
enum outcome_status harness_run_side(void *context, size_t side, size_t padding,
				     struct alternate_values *values);

#endif
