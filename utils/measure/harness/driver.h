/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * What is known of each benchmark harness: how its benchmarks are listed, how one of them is run,
 * and where its time stands. A driver makes arguments and reads texts. It starts no program and
 * opens no file.
 */

#ifndef CPUCYCLES_MEASURE_DRIVER_H
#define CPUCYCLES_MEASURE_DRIVER_H

#include "reason.h"
#include "files/words.h"

#include <stdbool.h>
#include <stddef.h>

/* One run of a side. */
struct driver_run {
	const char *path;   /* the program; or what pytest is given, in the run's folder */
	const char *result; /* the file into which the harness shall write, if it can; absolute */
	const char *name;   /* of the benchmark */
	double seconds;     /* that it shall be repeated, approximately */
	bool wall;          /* the wall time is wanted, where the harness has either one */
};

/* The time of one iteration. */
struct driver_time {
	double cpu_ns;  /* not a number: the harness has none, or the benchmark asks for another */
	double wall_ns; /* not a number: unknown */
};

/* What a text says. */
enum driver_answer {
	DRIVER_READ,
	DRIVER_FOREIGN, /* it is not of this harness */
	DRIVER_ABSENT,  /* it has no such benchmark */
	DRIVER_FAILED   /* the benchmark has failed: *reason */
};

struct driver {
	const char *name;
	/* A run takes place in the folder that the user names, or in that of the file. */
	bool in_folder;
	/* Results are in the file; otherwise they are in the standard output. */
	bool lists_in_file, runs_in_file;
	/* How lines begin in which it says what went wrong. NULL: there are no more. */
	const char *complaints[2];
	/* The words of the command that lists all benchmarks, or that runs one of them. */
	void (*list)(const struct driver_run *run, struct words *command);
	void (*run)(const struct driver_run *run, struct words *command);
	/* Add the names that a text has. DRIVER_READ or DRIVER_FOREIGN. */
	enum driver_answer (*read_list)(const char *text, struct words *names);
	enum driver_answer (*read)(const char *text, const char *name, struct driver_time *time,
				   struct reason_text *reason);
};

extern const struct driver driver_google_benchmark, driver_go, driver_pytest, driver_catch2;

/* Add a word: an option, and after it a regular expression that fits this name, and others at
 * most where the name has ] or }. slash: what stands for a slash in it, one byte or more. */
void driver_add_exact(struct words *command, const char *option, const char *name,
		      const char *slash);

/* Add a word: an option, and after it a number and its unit. */
void driver_add_number(struct words *command, const char *option, double number, const char *unit);

#endif
