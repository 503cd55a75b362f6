/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What --gate says of comparisons. Pure. */

#ifndef CPUCYCLES_MEASURE_GATE_H
#define CPUCYCLES_MEASURE_GATE_H

#include "outcome.h"

#include <stdbool.h>
#include <stddef.h>

/* The answer on one comparison. The order is that in which a reader wants to see them. */
enum gate_answer {
	GATE_ALARM,       /* slower by the gate or more */
	GATE_FAILED,      /* it was not measured, because something is wrong */
	GATE_LONGER,      /* by the gate or more, but only in the mean of nearly all samples */
	GATE_CANNOT_TELL, /* there is no verdict */
	GATE_PASSED,
	GATE_UNCHANGED,  /* the same code in both files */
	GATE_PARAMETERS, /* left out, as outcome_is_left_out() says, because of its type */
	GATE_UNSURE,     /* left out, because it may be a member of a class */
	GATE_LEFT_OUT    /* left out, because it fails in both files */
};

/* Whether there is no alarm on function number i, but the mean of nearly all samples estimates that
 * it takes longer than the first one by the gate or more. A verdict on typical calls may not show
 * that. Of runs, the time that is not judged has to show it: the wall time has more noise than the
 * CPU time. Without a gate, false. */
bool gate_sees_longer(const struct outcome *outcome, size_t i);

/* The answer on target number t, which is not the first one, or has failed. A function of a pair
 * has failed if it has in one of the two files. Without a gate, each that is slower is an alarm. */
enum gate_answer gate_of_target(const struct outcome *outcome, size_t t);

/* The answer on all comparisons: OUTCOME_OK, OUTCOME_ALARM if there is one alarm, or else
 * OUTCOME_UNDECIDED. Without a gate, OUTCOME_OK. Pairs that are left out do not count, except
 * GATE_UNSURE; if all are, the answer is OUTCOME_UNDECIDED. What is unchanged has passed. */
enum outcome_status gate_status(const struct outcome outcomes[], size_t n);

#endif
