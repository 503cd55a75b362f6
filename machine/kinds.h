/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* The kinds of core of a machine, such as big and LITTLE. */

#ifndef CPUCYCLES_KINDS_H
#define CPUCYCLES_KINDS_H

#include <stddef.h>

/* big, middle, LITTLE, and one more. */
#define CORE_KINDS_MAX 4

/* A kind of core, as the kernel tells them apart. */
struct core_kind {
	char name[32]; /* "capacity 1024", "cpu_core", "any" */
	int cpu;       /* one of this kind that the process may use; -1: the one it runs on */
};

/*
 * Find the kinds of this machine: by cpu_capacity, or by the lists of cpu_core and cpu_atom; one
 * kind "any" where the kernel has neither. root: "", in tests a folder with files in its place. How
 * many kinds, from 1 to CORE_KINDS_MAX.
 */
size_t core_kinds(const char *root, struct core_kind kinds[CORE_KINDS_MAX]);

#endif
