/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The frequency of the cores themselves, measured with a chain of instructions that take one
 * cycle each. The caller holds the guard, installed. */

#ifndef CPUCYCLES_CORE_H
#define CPUCYCLES_CORE_H

#include "rate.h"
#include "selection.h"

#include <stddef.h>

/* big, middle, LITTLE, and one more. */
#define CORE_KINDS_MAX 4

/* A kind of core, as the kernel tells them apart. */
struct core_kind {
	char name[32];    /* "capacity 1024", "cpu_core", "any" */
	int cpu;          /* one of this kind that the process may use; -1: the one it runs on */
	struct rate rate; /* set by core_measure */
};

/*
 * Find the kinds of this machine: by cpu_capacity, or by the lists of cpu_core and cpu_atom; one
 * kind "any" where the kernel has neither. root: "", in tests a folder with files in its place. How
 * many kinds, from 1 to CORE_KINDS_MAX.
 */
size_t core_kinds(const char *root, struct core_kind kinds[CORE_KINDS_MAX]);

/* Measure each kind in turn. The rate of the fastest; 0 Hz if none could be measured. */
struct rate core_measure(struct core_kind kinds[], size_t n, uint64_t budget_ns);

/*
 * Count the cycles of one batch with the best candidate that counts cycles, if there is one, and
 * log whether it agrees with the chain. core: as measured; with 0 Hz nothing is compared.
 */
void core_compare(const struct candidate candidates[], size_t n, uint64_t persecond,
		  struct rate core);

#endif
