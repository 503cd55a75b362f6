/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"
#include "decimal.h"
#include "kinds.h"
#include "tree.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* The capacity of CPUs with higher numbers is not looked at. */
#define CAPACITY_CPUS_MAX 256

static bool add_kind(struct core_kind kinds[], size_t *n, const char *name, int cpu)
{
	for (size_t i = 0; i < *n; i++)
		if (!strcmp(kinds[i].name, name))
			return true;
	if (*n == CORE_KINDS_MAX)
		return false;
	snprintf(kinds[*n].name, sizeof kinds[*n].name, "%s", name);
	kinds[*n].cpu = cpu;
	++*n;
	return true;
}

/* One kind for each value of cpu_capacity. */
static void kinds_by_capacity(const char *root, struct core_kind kinds[], size_t *n)
{
	char path[64], text[32], name[64];
	uint64_t capacity;

	for (int cpu = 0; cpu < CAPACITY_CPUS_MAX; cpu++) {
		/* Opening hundreds of files that do not exist would take a slow core long. */
		if (!affinity_allows(cpu))
			continue;
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpu_capacity", cpu);
		if (tree_read(root, path, text, sizeof text) <= 0 ||
		    !decimal_whole(text, 0, &capacity))
			return; /* the kernel tells it of all CPUs or of none */
		snprintf(name, sizeof name, "capacity %" PRIu64, capacity);
		if (!add_kind(kinds, n, name, cpu))
			return;
	}
}

/* The first CPU of a list such as "0-3,8" that may be used; -1 if none. */
static int first_of_list(const char *list)
{
	int from, to, length;

	while (sscanf(list, "%d%n", &from, &length) == 1) {
		list += length;
		to = from;
		if (*list == '-' && sscanf(list + 1, "%d%n", &to, &length) == 1)
			list += 1 + length;
		for (int cpu = from; cpu <= to && cpu < AFFINITY_CPUS_MAX; cpu++)
			if (affinity_allows(cpu))
				return cpu;
		if (*list++ != ',')
			break;
	}
	return -1;
}

static void kinds_by_list(const char *root, struct core_kind kinds[], size_t *n)
{
	static const char *const names[] = { "cpu_core", "cpu_atom" };
	char path[64], list[4096];

	for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
		int cpu;

		snprintf(path, sizeof path, "/sys/devices/%s/cpus", names[i]);
		if (tree_read(root, path, list, sizeof list) <= 0)
			continue;
		cpu = first_of_list(list);
		if (cpu >= 0)
			add_kind(kinds, n, names[i], cpu);
	}
}

size_t core_kinds(const char *root, struct core_kind kinds[CORE_KINDS_MAX])
{
	size_t n = 0;

	affinity_save();
	kinds_by_capacity(root, kinds, &n);
	if (n == 0)
		kinds_by_list(root, kinds, &n);
	if (n == 0)
		add_kind(kinds, &n, "any", -1);
	return n;
}
