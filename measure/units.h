/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/*
 * Which of two functions is faster, from units of replication. Pure.
 *
 * A unit is a fresh process, in which both functions were measured: its value is the log ratio of
 * their times (verdict_log_ratio()). Where stack, heap and pages of memory lie is drawn anew for
 * each process, and moves what is measured there, by half a percent or by half. More samples in one
 * process do not help against that. More processes do.
 *
 * Equal functions that change places give a unit the opposite value, and are as likely to lie that
 * way around. So the values are symmetric about 0, which is all that the signed-rank test needs.
 * For functions that differ, the interval supposes that the values are symmetric about the true
 * one.
 *
 * Looks share the error as those of one process do: see verdict.h.
 */

#ifndef CPUCYCLES_UNITS_H
#define CPUCYCLES_UNITS_H

#include "verdict.h"

#include <stddef.h>

struct units_verdict {
	enum verdict_kind kind;
	/* The work by the first: the centre of the units, and its interval. Without an interval,
	 * low is 0 and high is infinite. Without any unit, ratio is not a number. */
	double ratio, low, high;
	/* Cannot tell: about so many units might tell, VERDICT_BLOCKS_MAX at most. 0: the functions
	 * are equal in all that was seen. */
	size_t units_needed;
};

/* Values for which scratch needs room. */
#define UNITS_SCRATCH(n) ((n) * ((n) + 1) / 2 + 1)

/* Judge by n log ratios. error is the share of this look. All values are finite. */
void units_judge(const double log_ratios[], size_t n, double error, double scratch[],
		 struct units_verdict *verdict);

#endif
