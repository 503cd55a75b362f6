/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* What else --check looks at: what the machine does besides, and how its CPU is set. */

#ifndef CPUCYCLES_MEASURE_MACHINE_H
#define CPUCYCLES_MEASURE_MACHINE_H

#include "judge.h"

#define MACHINE_TEXT 64

struct machine {
	double load; /* programs that want to run, the mean of a minute; below 0: unknown */
	long cpus;   /* that are on; 0 or less: unknown */
	int cpu;     /* the number of the one that this thread is on; below 0: unknown */
	char governor[MACHINE_TEXT]; /* of its frequency; empty: unknown */
	bool boosts;                 /* it may run faster for a while */
	bool intel;                  /* as intel_pstate says */
	bool smt;                    /* two threads share a core */
	double lost;   /* of the time of a program that wants to run; 0: not looked at */
	double waited; /* the part of it in which other programs had the CPU */
};

/* root: "", in tests a folder with a made /sys. Nothing is said of files that are not there. A
 * program may serve these files, as lxcfs does in containers, and hang. So signals must still end
 * this process. */
void machine_look(const char *root, struct machine *machine);

/* Look for a third of a second how much time a program that wants to run loses here. */
void machine_look_at_time(struct machine *machine);

/* Whether more programs want to run than leave a CPU free. Pure. */
bool machine_is_busy(const struct machine *machine);

/* The load is a warning, because figures measured under it are not worth much. The rest are notes:
 * most machines are set so, and their figures are good for many uses. Pure. */
void machine_judge(const struct machine *machine, struct judge_warnings *warnings,
		   struct judge_warnings *notes);

#endif
