/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Which other programs ran most, by /proc/PID/stat. */

#ifndef CPUCYCLES_PROGRAMS_H
#define CPUCYCLES_PROGRAMS_H

#include "parse.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PROGRAMS_MAX 8192
#define PROGRAMS_MOST 3

/* How long each process had run, in ticks. */
struct programs {
	bool whole;     /* all processes are here */
	uint64_t start; /* of this process, in ticks since boot */
	size_t n;
	struct {
		uint64_t pid, ticks;
	} list[PROGRAMS_MAX];
};

/* Those that ran most, the first one longest. Without a name: there is none. */
struct programs_most {
	bool whole; /* of all processes */
	struct parse_program program[PROGRAMS_MOST];
};

/* Look at all processes but this one. Those that ran most are of the CPUs that this process may
 * use: on others, they take it no time. One that the look before did not see must have started
 * after this process: otherwise it is unknown when it ran. until: of the raw clock; what has not
 * been seen then is left out. before, most: of an earlier look, to compare with; or NULL. */
void programs_look(const char *root, uint64_t until, struct programs *seen,
		   const struct programs *before, struct programs_most *most);

/* Put a program among those that ran most, if it is one of them. Pure. */
void programs_rank(struct programs_most *most, const struct parse_program *program);

#endif
