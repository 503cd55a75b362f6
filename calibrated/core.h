/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The frequency of the cores themselves, by instructions of one cycle each. The
 * caller holds the guard, installed. */

#ifndef CPUCYCLES_CORE_H
#define CPUCYCLES_CORE_H

#include "rate.h"
#include "selection.h"

#include <stddef.h>

/* big, middle, LITTLE, and one more. */
#define CORE_KINDS_MAX 4

/* Kinds of core by what the kernel says of them. */
struct core_kind {
	char name[32];  /* "capacity 1024", "cpu_core", "any" */
	int cpu;        /* one of them that this process may use; -1: stay where it is */
	struct rate rate;
};

/*
 * The kinds below root ("" but in tests), by cpu_capacity or the lists of cpu_core and
 * cpu_atom; one kind "any" where neither exists. At least 1, at most CORE_KINDS_MAX.
 */
size_t core_kinds(const char *root, struct core_kind kinds[CORE_KINDS_MAX]);

/* Measure each kind in turn. The fastest one's rate; 0 Hz if none could be measured. */
struct rate core_measure(struct core_kind kinds[], size_t n, uint64_t budget_ns);

/*
 * The same of this core for one batch, by a usable candidate that counts cycles, if
 * there is one: whether the two agree, for the log.
 */
void core_compare(const struct candidate candidates[], size_t n, uint64_t persecond, struct rate core);

#endif
