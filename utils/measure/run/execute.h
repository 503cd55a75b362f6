/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Runs one program to its end and says what it took. It knows nothing of outcomes. */

#ifndef CPUCYCLES_MEASURE_EXECUTE_H
#define CPUCYCLES_MEASURE_EXECUTE_H

#include "counts.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct execute {
	char *const *arguments; /* the first one is the program, searched for in PATH; then NULL */
	const char *input;      /* a regular file for standard input; NULL: there is none */
	const char *folder;     /* that it runs in; NULL: this program's */
	/* A descriptor for its standard output; below 0: none. */
	int output;
	/* Its standard output and its standard error are this program's standard error. */
	bool shown;
	/* Bytes of one more environment variable, which moves the stack. 0: there is none. */
	size_t padding;
	uint64_t timeout_ns;               /* 0: it may take for ever */
	const struct counts_kinds *counts; /* what is counted; NULL: nothing */
};

enum execute_end {
	EXECUTE_EXITED,
	EXECUTE_SIGNALLED,   /* a signal ended it */
	EXECUTE_TIMED_OUT,   /* it was ended after the time-out */
	EXECUTE_INTERRUPTED, /* it was ended, because signals_asked() */
	EXECUTE_NOT_STARTED
};

/* Bytes of standard error that are kept. */
#define EXECUTE_LAST 2048

struct executed {
	enum execute_end end;
	int status; /* of the exit; or the signal; or why it has not started: a negative errno */
	/* User and system time, also of what it has started and waited for. */
	double cpu_ns;
	double wall_ns;
	double memory; /* bytes at its peak; not a number: less than this program has used itself */
	struct counts_values counts; /* of all that it has started, until it ended */
	size_t length;               /* of the last bytes */
	char last[EXECUTE_LAST + 1]; /* of its standard error: a text, up to a zero byte */
};

/*
 * Run it in a session of its own. When it has ended, all that it has started is ended, too: on
 * Linux also what has left its session, unless this program had children before.
 * signals_prepare() was called before.
 */
void execute(const struct execute *execute, struct executed *executed);

#endif
