/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Records the system calls that a process makes between two calls of plan_mark(). */

#ifndef CPUCYCLES_BENCH_PLAN_TRACE_H
#define CPUCYCLES_BENCH_PLAN_TRACE_H

#include "plan.h"

#include <sys/types.h>

#define TRACE_NAME 200

struct trace {
	size_t n;
	char names[PLAN_CALLS][TRACE_NAME]; /* for the report: the call and its path, if any */
	long long results[PLAN_CALLS];      /* what each call returned; negative errnos */
	char text[PLAN_TEXT];               /* the plan, for plan_parse() */
	char why[200];                      /* why there is no plan; empty: there is one */
};

/* To be called in the child, before it executes the program. */
void trace_me(void);

/* Records the child's calls until it ends. Its status, as waitpid(2) returns it. */
int trace_follow(pid_t child, struct trace *trace);

#endif
