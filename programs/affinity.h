/* SPDX-FileCopyrightText: The cpucycles developers
 * SPDX-License-Identifier: 0BSD */

/* Where this process may run, and staying on one CPU for a while. */

#ifndef CPUCYCLES_AFFINITY_H
#define CPUCYCLES_AFFINITY_H

#include <stdbool.h>

/* CPUs with a higher number are not looked at. */
#define AFFINITY_CPUS_MAX 8192

/* Remember where the process may run. Without it nothing below is allowed. */
void affinity_save(void);

/* Whether the process may run on this CPU. */
bool affinity_allows(int cpu);

/* How many CPUs it may run on; 0 if the OS does not say. */
int affinity_count(void);

/* Stay on this CPU. False: not permitted, nothing has changed. */
bool affinity_pin(int cpu);

/* Stay on the CPU where it runs now. */
bool affinity_pin_here(void);

/* Run wherever it was allowed before. */
void affinity_restore(void);

#endif
