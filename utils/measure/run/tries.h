/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Measures in children, or tests for leaks in one. A function that crashes, hangs or is too fast is
 * left out, and the others are measured again by a new child. */

#ifndef CPUCYCLES_MEASURE_TRIES_H
#define CPUCYCLES_MEASURE_TRIES_H

#include "result/outcome.h"
#include "machine.h"
#include "raw.h"
#include "relink.h"
#include "files/target.h"

#include <stddef.h>
#include <stdint.h>

/* What all runs of the program share. */
struct tries {
	struct cpucycles_meter_options options;
	uint64_t timeout_ns;
	struct machine machine;
	struct raw *raw;
	const struct link_options *link; /* NULL: the functions are loaded, and nothing is linked */
	bool one_layout;           /* that each process measures in: a file shows each process */
	bool time_of_each;         /* the time is that of each pair that is measured, not of all */
	struct buffer_input input; /* of --input */
	struct relink relink;      /* all zeros at first */
	struct meter_known known;  /* what the first process of a run has found out */
	/* Of a target that is tested for leaks: as struct cpucycles_leak has them. */
	unsigned leak_flags;
	double threshold;
};

/*
 * Measures n targets for each of several sizes or pairs, of which there are *count. targets has
 * those of all of them, one after another. An outcome has the check, the plan and the samples at
 * first, and is filled in, and so are the states of the targets and the file of samples, if there
 * is one. What went wrong is printed on standard error. n is 0 for the check.
 *
 * The program is linked once for all sizes, and for each pair by itself. The time of one size is
 * for this size, and that of one pair is for all pairs. A function that fails with one size is
 * measured with the next one, and another pair is measured after one that has failed. What would
 * fail again, and Ctrl-C, end this: *count outcomes are filled in then.
 */
enum outcome_status tries_run_all(struct tries *tries, struct target targets[], size_t n,
				  struct outcome outcomes[], size_t *count);

/* Remove all that was made to link. Until then, relink can draw the places of all sizes again. */
void tries_end(struct tries *tries);

#endif
