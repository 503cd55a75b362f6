/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * A list of system calls with their arguments. plan-trace.c records it from one process, and
 * plan_run() repeats it in another. The time of the repetition is the least that a first call with
 * these system calls can take.
 *
 * The list travels as text, in an argument of a program: "NUMBER:ARGUMENT,ARGUMENT,;NUMBER:...;".
 * An argument is n and a number in hexadecimal; or i and bytes in hexadecimal, which the kernel
 * reads from an address; or o for an address that the kernel writes to.
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

/* False: the text is no plan, or is too long. */
bool plan_parse(const char *text, struct plan *plan);

/* Makes the calls, whatever they return. */
void plan_run(const struct plan *plan);

/* Makes a system call that fails and that nobody else makes: the tracer begins or ends here. */
void plan_mark(void);

/* plan_mark() closes this descriptor, which cannot exist. */
#define PLAN_MARK (-77)

#endif
