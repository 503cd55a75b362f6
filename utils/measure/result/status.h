/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Exit statuses of cpucycles-measure. Pure.
 *
 * A status has its number for good, and the number is also the priority in status_of_both(): the
 * smaller one wins. To add a status: the help text in options.c and cpucycles-measure(1) list all,
 * and may_go_on() in run/tries.c has those after which the next functions are measured. */

#ifndef CPUCYCLES_MEASURE_STATUS_H
#define CPUCYCLES_MEASURE_STATUS_H

/* Documented in cpucycles-measure(1). */
enum outcome_status {
	OUTCOME_OK = 0,
	OUTCOME_WARNING = 1, /* --check only */
	OUTCOME_USAGE = 2,
	OUTCOME_OUTPUT = 3,       /* it is not complete */
	OUTCOME_NOT_FOUND = 4,    /* a library or a function */
	OUTCOME_NO_COUNTER = 5,   /* that fulfils the need */
	OUTCOME_CRASHED = 6,      /* a function */
	OUTCOME_HUNG = 7,         /* a function */
	OUTCOME_TOO_FAST = 8,     /* a function */
	OUTCOME_FAILED = 9,       /* for another reason */
	OUTCOME_NOT_COUNTED = 10, /* an event */
	OUTCOME_ALARM = 11,       /* --gate: a function is slower; --leak: it leaks */
	OUTCOME_UNDECIDED = 12,   /* --gate and --leak: cannot tell */
	OUTCOME_NO_INPUT = 13,    /* --leak: it is not known how long an input is */
	OUTCOME_INTERRUPTED = 130 /* what there was is printed */
};

/* The status of a program in which both happened: OUTCOME_OUTPUT, or else the smaller one that is
 * not OUTCOME_OK. */
enum outcome_status status_of_both(enum outcome_status a, enum outcome_status b);

#endif
