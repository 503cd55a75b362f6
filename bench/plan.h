/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A list of system calls with what they were given, so that another process can make them
 * again: the floor under a first call. plan-trace.c writes it down while a process runs, plan.c
 * makes the calls.
 *
 * As text, which travels as an argument: calls end in ';', arguments in ','. Behind a letter n,
 * a number in hexadecimal; i, bytes to read from, in hexadecimal; o, a place to write to.
 */

#ifndef CPUCYCLES_BENCH_PLAN_H
#define CPUCYCLES_BENCH_PLAN_H

#include <stdbool.h>
#include <stddef.h>

#define PLAN_CALLS 400
#define PLAN_ARGUMENTS 6
#define PLAN_BYTES 16384
#define PLAN_TEXT 65536

struct plan_call {
	long number;
	long arguments[PLAN_ARGUMENTS];
};

struct plan {
	size_t n;
	struct plan_call calls[PLAN_CALLS];
	size_t used;
	_Alignas(16) char bytes[PLAN_BYTES];
	_Alignas(16) char out[PLAN_BYTES];
};

/* False: it is no plan, or too long a one. */
bool plan_parse(const char *text, struct plan *plan);

/* Makes the calls. */
void plan_run(const struct plan *plan);

/* A call that fails and that nobody else makes, for the tracer to know where it is. */
void plan_mark(void);

/* The argument of that call, of close(2). */
#define PLAN_MARK (-77)

#endif
