/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Starts programs in fresh processes, with the root folder, the emulator and the mount namespace
 * that the options ask for. */

#ifndef CPUCYCLES_BENCH_SPAWN_H
#define CPUCYCLES_BENCH_SPAWN_H

#include "bench.h"

#include <sys/types.h>

#define SPAWN_WORDS 24

struct command {
	const char *words[SPAWN_WORDS]; /* the program and its arguments, up to NULL */
	const char *environment[4];     /* all variables except PATH, up to NULL */
	int input, output;              /* descriptors; -1: /dev/null */
	int mounts;                     /* descriptor of a mount namespace; 0: the driver's */
	struct trace *trace;            /* where to record its system calls; NULL: do not */
};

struct ended {
	int status;       /* as waitpid(2) returns it; -1: not started */
	char text[32768]; /* what it wrote to standard output and standard error */
};

/* Starts the program and returns at once. -1 on error. */
pid_t spawn_start(const struct bench *bench, const struct command *command);

/* Runs the program to its end. False: it could not be started, or did not end with status 0. */
bool spawn_run(const struct bench *bench, const struct command *command, struct ended *ended);

/* Why spawn_run() returned false, or its caller found no result: status and first line. */
void spawn_explain(const struct ended *ended, char why[SERIES_WHY]);

#endif
