/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The program that is linked anew for each process, or for each unit of four processes: where the
 * functions lie in it is drawn. */

#ifndef CPUCYCLES_MEASURE_RELINK_H
#define CPUCYCLES_MEASURE_RELINK_H

#include "child.h"
#include "link/link.h"
#include "placement.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct relink {
	struct link *link;          /* NULL: the functions are loaded, and nothing is linked */
	size_t n;                   /* functions */
	size_t *alignments;         /* also the memory of the placement */
	struct placement placement; /* of the process that is next, or of all of its unit */
	size_t per_process;         /* layouts that the program has for one process */
	size_t made;                /* the unit that the program was linked for; SIZE_MAX: none */
};

/* Prepare the files, for processes that measure `layouts` layouts, or fewer. *which: the target
 * that an error is about, or n. 0, or a negative errno with *reason. */
int relink_begin(struct relink *relink, struct target targets[], size_t n, size_t layouts,
		 const struct link_options *options, size_t *which, struct reason_text *reason);

/* Whether a program has a copy of each function for each process of a unit. */
bool relink_has_copies(const struct relink *relink);

/* Draw the places for this process, which is to measure `layouts` layouts: per_process or fewer.
 * Returns the side that is function 0 in the first of them. */
size_t relink_draw(struct relink *relink, uint64_t seed, size_t process, size_t layouts);

/* Link the program with the job's targets, as it was drawn, or let the job use its copies in the
 * program of the unit. */
int relink_make(struct relink *relink, struct child_job *job, struct reason_text *reason);

void relink_end(struct relink *relink);

/* Where the harness object is: see linked.c. NULL: this system cannot link functions. */
const char *relink_harness(void);

#endif
