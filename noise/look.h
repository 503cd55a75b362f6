/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* A look at what takes the time of programs on this machine: on each CPU in turn. */

#ifndef CPUCYCLES_LOOK_H
#define CPUCYCLES_LOOK_H

#include "affinity.h"
#include "cause.h"

#include <stddef.h>
#include <stdint.h>

struct look_cpu {
	int cpu;
	uint64_t ns, lost;
};

struct look {
	double seconds;   /* that all of it took */
	double lost;      /* of the time of a program that wants to run: 0 to 1 */
	uint64_t longest; /* gap, in ns */
	size_t allowed;   /* CPUs that this process may use */
	size_t refused;   /* CPUs that it could not use after all */
	size_t cpus;      /* CPUs looked at */
	struct look_cpu cpu[AFFINITY_CPUS_MAX];
	size_t n;
	struct noise_line lines[NOISE_CAUSES];
};

/* Look for `budget_ns` in all. root: "", in tests a folder with a made /proc and /sys. */
void look_at_machine(const char *root, uint64_t budget_ns, struct look *look);

#endif
