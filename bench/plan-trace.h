/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The system calls that a process makes between two marks, written down while it runs. */

#ifndef CPUCYCLES_BENCH_PLAN_TRACE_H
#define CPUCYCLES_BENCH_PLAN_TRACE_H

#include "plan.h"

#include <sys/types.h>

#define TRACE_NAME 200

struct trace {
	size_t n;
	char names[PLAN_CALLS][TRACE_NAME]; /* for people: the call's name, and of an open the file's */
	long long results[PLAN_CALLS];      /* what each returned; negative errnos */
	char text[PLAN_TEXT];               /* the plan */
	char why[200];                      /* there is none because; empty: there is one */
};

/* What the child does before it executes the program. */
void trace_me(void);

/* Follows that child to its end. The exit status as waitpid(2) has it. */
int trace_follow(pid_t child, struct trace *trace);

#endif
