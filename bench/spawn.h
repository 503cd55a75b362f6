/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Fresh processes, where the driver's options want them: in a root, by a runner, in a
 * mount namespace. */

#ifndef CPUCYCLES_BENCH_SPAWN_H
#define CPUCYCLES_BENCH_SPAWN_H

#include "bench.h"

#include <sys/resource.h>
#include <sys/types.h>

#define SPAWN_WORDS 24

struct command {
	const char *words[SPAWN_WORDS];     /* the program and its arguments, up to NULL */
	const char *environment[4];         /* all of it but PATH, up to NULL */
	int input, output;                  /* descriptors; -1: /dev/null */
	int mounts;                         /* a mount namespace; 0: the driver's */
	struct trace *trace;                /* write its system calls down; NULL: do not */
};

struct ended {
	int status;        /* as waitpid(2) has it */
	double wall_ms;
	struct rusage usage;
	char text[32768];  /* what it wrote to standard output and standard error */
};

/* Starts it with input and output as they are. -1 on error. */
pid_t spawn_start(const struct bench *bench, const struct command *command);

/* Runs it to its end. False: it could not be started, or did not end with status 0. */
bool spawn_run(const struct bench *bench, const struct command *command, struct ended *ended);

#endif
