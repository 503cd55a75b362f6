/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Where this process may run, and staying on one CPU for a while. */

#ifndef CPUCYCLES_AFFINITY_H
#define CPUCYCLES_AFFINITY_H

#include <stdbool.h>

/* CPUs with a higher number are not looked at. */
#define AFFINITY_CPUS_MAX 8192

/* Remember on which CPUs the process may run. The functions below need this first. */
void affinity_save(void);

/* Whether the process may run on this CPU. */
bool affinity_allows(int cpu);

/* On how many CPUs it may run; 0 if the OS does not tell. */
int affinity_count(void);

/* Stay on this CPU. False: that is not permitted, and nothing has changed. */
bool affinity_pin(int cpu);

/* The CPU on which the process runs now; -1 if the OS does not tell. */
int affinity_here(void);

/* Stay on the CPU on which the process runs now. */
static inline bool affinity_pin_here(void)
{
	return affinity_pin(affinity_here());
}

/* Run on all CPUs again that were allowed when affinity_save was called. */
void affinity_restore(void);

#endif
