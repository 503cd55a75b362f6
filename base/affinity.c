/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

#include "config.h"

#include "affinity.h"

#ifdef HAVE_SCHED_SETAFFINITY

#include <sched.h>

#define SETS (AFFINITY_CPUS_MAX / CPU_SETSIZE)

static cpu_set_t allowed[SETS];
static bool known;

void affinity_save(void)
{
	CPU_ZERO_S(sizeof allowed, allowed);
	known = !sched_getaffinity(0, sizeof allowed, allowed);
}

bool affinity_allows(int cpu)
{
	return known && cpu >= 0 && cpu < AFFINITY_CPUS_MAX &&
	       CPU_ISSET_S((size_t)cpu, sizeof allowed, allowed);
}

int affinity_count(void)
{
	return known ? CPU_COUNT_S(sizeof allowed, allowed) : 0;
}

bool affinity_pin(int cpu)
{
	static cpu_set_t one[SETS];

	if (!affinity_allows(cpu))
		return false;
	CPU_ZERO_S(sizeof one, one);
	CPU_SET_S((size_t)cpu, sizeof one, one);
	return !sched_setaffinity(0, sizeof one, one);
}

int affinity_here(void)
{
	return sched_getcpu();
}

void affinity_restore(void)
{
	if (known)
		sched_setaffinity(0, sizeof allowed, allowed);
}

#else

void affinity_save(void) {}

bool affinity_allows(int cpu)
{
	(void)cpu;
	return false;
}

int affinity_count(void)
{
	return 0;
}

bool affinity_pin(int cpu)
{
	(void)cpu;
	return false;
}

int affinity_here(void)
{
	return -1;
}

void affinity_restore(void) {}

#endif
